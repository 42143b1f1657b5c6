"""The cases, in the order in which they run: what deletes everything comes last."""

from . import interactions, playbooks, search, learning, settings, later, ending

__all__ = ["ending", "interactions", "later", "learning", "playbooks", "search", "settings"]
