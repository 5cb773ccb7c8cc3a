"""An install-config that is being asked for: the answers so far, the questions, and the file.

Nothing here talks to a person; that is `ingot.ui.wizard`. Nothing here judges an answer by itself
either: the file that the answers would give is loaded, and the rules of the config speak.
"""

from ingot.config.draft.answers import Answer, Draft, HostDraft, Slot
from ingot.config.draft.checking import problems, refusal
from ingot.config.draft.questions import Kind, Option, Question, questions
from ingot.config.draft.suggesting import suggestion
from ingot.config.draft.text import render

__all__ = [
    "Answer",
    "Draft",
    "HostDraft",
    "Kind",
    "Option",
    "Question",
    "Slot",
    "problems",
    "questions",
    "refusal",
    "render",
    "suggestion",
]
