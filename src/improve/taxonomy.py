"""The domains of rules: which are general, which belong to a project, and the section each is written under."""

from __future__ import annotations

from typing import NamedTuple

GENERAL: dict[str, str] = {
    "python-tooling": "Python Tool Management",
    "git-practices": "Git Practices",
    "security": "Security",
    "code-style": "Code Style",
    "error-handling": "Error Handling",
    "testing": "Testing",
    "documentation": "Documentation",
    "communication": "Communication Preferences",
    "tool-usage": "Tool Usage",
    "search-patterns": "Search Patterns",
}
"""Domains that go to the global file once a rule is seen in several projects, with their section heading."""

PROJECT_SPECIFIC: dict[str, str] = {
    "auth-architecture": "Auth Architecture",
    "import-patterns": "Import Patterns",
    "file-structure": "File Structure",
    "api-design": "API Design",
    "database-queries": "Database Queries",
    "ui-components": "UI Components",
    "config-management": "Config Management",
    "deployment": "Deployment",
}
"""Domains that stay in each project, however many projects a rule is seen in."""

SECTION_ONLY: dict[str, str] = {
    "workflow": "Workflow",
    "data-viz": "Data Visualization",
    "architecture": "Architecture",
    "data-quality": "Data Quality",
    "data-strategy": "Data Strategy",
    "data-sources": "Data Sources",
    "data-patterns": "Data Patterns",
}
"""Domains with a heading of their own that neither list claims; they decide like `unknown`."""

FALLBACK_SECTION = "Agent Rules"


class Taxonomy(NamedTuple):
    """The two lists a store's `domain_taxonomy` holds; people add to them in rules.yaml."""

    general: tuple[str, ...] = tuple(GENERAL)
    project_specific: tuple[str, ...] = tuple(PROJECT_SPECIFIC)

    def kind(self, domain: str) -> str:
        """Say `general`, `project-specific` or `unknown`."""
        if domain in self.general:
            return "general"
        if domain in self.project_specific:
            return "project-specific"
        return "unknown"

    @property
    def known(self) -> tuple[str, ...]:
        """Every domain that has a meaning here."""
        return (*self.general, *self.project_specific, *SECTION_ONLY)

    def spelled(self, domain: str) -> str:
        """Give a domain as the lists spell it: `Git_Practices` is `git-practices`; one that none has stays.

        >>> Taxonomy().spelled("Git_Practices"), Taxonomy().spelled("Data_Mesh")
        ('git-practices', 'Data_Mesh')
        """
        if domain in self.known:
            return domain
        return next((name for name in self.known if _folded(name) == _folded(domain)), domain)

    def closest(self, domain: str) -> str:
        """Guess which domain was meant by one that none of the lists has; empty when none is near."""
        from difflib import get_close_matches

        return next(iter(get_close_matches(_folded(domain), self.known, 1)), "")


def _folded(domain: str) -> str:
    return domain.casefold().replace("_", "-")


def section_of(domain: str) -> str:
    """Give the heading a rule of this domain is written under.

    A domain people added themselves becomes its own heading: `data-mesh` → `Data Mesh`.
    """
    known = {**GENERAL, **PROJECT_SPECIFIC, **SECTION_ONLY}.get(domain)
    if known:
        return known
    words = domain.replace("_", "-").split("-")
    return FALLBACK_SECTION if domain in ("", "unknown") else " ".join(w[:1].upper() + w[1:] for w in words if w)
