"""From a model to a structural schema, the only kind that the API server takes.

pydantic's own schema shares parts by reference, says "or null" for whatever is optional, and
publishes each default. A structural schema has every part in its place, exactly one type for each
value, and only those defaults that the server should store. The conversion knows the few keywords
that our models lead to and refuses any other, so that no rule is lost unseen.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import fields
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from ingot.errors import IngotError
from ingot.kube.crd.wire import PUBLISHED_DEFAULT, PUBLISHED_REQUIRED

__all__ = ["NotStructural", "Schema", "converted", "structural_schema"]

Schema = dict[str, Any]

KEPT: Final = (
    "description",
    "type",
    "x-kubernetes-int-or-string",
    "format",
    "nullable",
    "default",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
    "required",
    "properties",
    "items",
    "additionalProperties",
)
"""Keywords that mean the same to pydantic and to the API server, or that only our marks set; in the
order in which they read best."""

DROPPED: Final = frozenset({"title", PUBLISHED_DEFAULT, PUBLISHED_REQUIRED})
NULL: Final = {"type": "null"}
REFERENCE: Final = "#/$defs/"


class NotStructural(IngotError):  # noqa: N818 - it says what the schema is
    """A model says something that a structural schema cannot."""


def structural_schema(model: type) -> Schema:
    """Return what the API server is told of a model.

    Raises:
        NotStructural: the model says something that has no place in such a schema.
    """
    raw = TypeAdapter(model).json_schema(schema_generator=_Described)
    return converted(raw, raw.get("$defs", {}))


def converted(node: Schema, shared: dict[str, Schema], where: str = "") -> Schema:
    """Return one value's schema, in structural form.

    Args:
        node: the value's schema as pydantic gives it.
        shared: the parts that it may refer to.
        where: the value's path, for errors.
    """
    node = _in_place(node, shared, where)
    schema = {key: value for key, value in node.items() if key not in DROPPED and key != "$defs"}
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    if not node.get(PUBLISHED_DEFAULT):
        schema.pop("default", None)
    if unknown := sorted(schema.keys() - set(KEPT)):
        raise NotStructural(
            f"{where or 'the model'} uses {', '.join(unknown)}",
            remedy="say it by other means, or teach the conversion what it means to the API server",
        )
    if "type" not in schema and "x-kubernetes-int-or-string" not in schema:
        raise NotStructural(f"{where or 'the model'} has no type", remedy="give the field one type")
    if "properties" in schema:
        schema |= _fields(schema, shared, where)
    if "items" in schema:
        schema["items"] = converted(schema["items"], shared, f"{where}[]")
    if "additionalProperties" in schema:
        schema["additionalProperties"] = converted(
            schema["additionalProperties"], shared, f"{where}{{}}"
        )
    return {key: schema[key] for key in KEPT if key in schema}


def _fields(schema: Schema, shared: dict[str, Schema], where: str) -> Schema:
    """Return an object's fields, and which of them are required."""
    properties: Schema = {}
    required = set(schema.pop("required", ()))
    for name, child in schema["properties"].items():
        path = f"{where}.{name}".removeprefix(".")
        if _in_place(child, shared, path).get(PUBLISHED_REQUIRED):
            required.add(name)
        properties[name] = converted(child, shared, path)
    ordered = [name for name in properties if name in required]
    return {"properties": properties} | ({"required": ordered} if ordered else {})


def _in_place(node: Schema, shared: dict[str, Schema], where: str) -> Schema:
    """Return a value's schema without references and alternatives."""
    while True:
        if "$ref" in node:
            rest = {key: value for key, value in node.items() if key != "$ref"}
            node = shared[node["$ref"].removeprefix(REFERENCE)] | rest
        elif "anyOf" in node:
            rest = {key: value for key, value in node.items() if key != "anyOf"}
            node = _one_of(node["anyOf"], where) | rest
        else:
            return node


def _one_of(options: list[Schema], where: str) -> Schema:
    """Return the one alternative to null; null itself is a matter of being optional."""
    options = [option for option in options if option != NULL]
    if len(options) == 1:
        return options[0]
    if options == [{"type": "integer"}, {"type": "string"}]:
        return {"x-kubernetes-int-or-string": True}
    raise NotStructural(
        f"{where} may be of several types",
        remedy="give the field one type, or let it be an integer or a string",
    )


class _Described(GenerateJsonSchema):
    """pydantic's schema, with the docstrings below the fields as descriptions.

    They are read here and not by pydantic, which would parse the source at every start.
    """

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        result = super().dataclass_schema(schema)
        if "description" in result:
            result["description"] = _one_line(result["description"])
        docs = _docs(schema["cls"])
        properties: Schema = {}
        for field in fields(schema["cls"]):
            name = schema["cls"].__pydantic_fields__[field.name].alias or field.name
            told = {"description": docs[field.name]} if field.name in docs else {}
            properties[name] = result["properties"][name] | told
        return result | {"properties": properties}


def _docs(model: type) -> dict[str, str]:
    """Return the docstrings below a class's fields."""
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    docs: dict[str, str] = {}
    field = ""
    for statement in body.body if isinstance(body, ast.ClassDef) else ():
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)):
                field = name
            case ast.Expr(value=ast.Constant(value=str(text))) if field:
                docs[field] = _one_line(text)
            case _:
                field = ""
    return docs


def _one_line(text: str) -> str:
    return " ".join(text.split())
