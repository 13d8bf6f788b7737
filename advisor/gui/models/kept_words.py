"""What is told when another model is chosen: which settings went along, and which it has no use for."""

from __future__ import annotations

from advisor.core.sentences import listed
from advisor.gui.models.workload_edits import Described
from advisor.gui.texts import Texts


def kept_words(described: Described | None, texts: Texts) -> list[str]:
    """The sentences; none where nothing had been set for the model before."""
    if described is None or described.kept is None:
        return []
    kept = described.kept

    def fields(names: tuple[str, ...]) -> str:
        last = [name.partition(".")[2] for name in names]
        return listed([texts.optional(f"field-{name.replace('_', '-')}") or name for name in last], texts.language)

    words = []
    if kept.fields:
        words.append(texts("model-kept-fields", fields=fields(kept.fields)))
    if kept.dropped:
        code = "model-dropped-by-file" if described.reference.endswith(".toml") else "model-dropped-fields"
        words.append(texts(code, name=texts.title(described.workload.name), fields=fields(kept.dropped)))
    return words
