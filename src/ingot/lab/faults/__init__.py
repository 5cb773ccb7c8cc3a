"""What can be made to go wrong with a host, when, and how often; and what makes it so."""
