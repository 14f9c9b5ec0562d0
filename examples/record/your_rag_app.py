"""A very small RAG application, to try `evalparity record` with: word overlap does for search engine and model."""

from __future__ import annotations

import json
import re
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus.jsonl")


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9.]+", text.lower()))


def overlap(question: str, text: str) -> int:
    return len(words(question) & words(text))


def rag_pipeline(question: str) -> tuple[list[str], str]:
    """Retrieve three chunks and answer with the best sentence of the first; return their ids and the answer."""
    chunks = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    ranked = sorted(chunks, key=lambda chunk: -overlap(question, chunk["text"]))[:3]
    sentences = re.split(r"(?<=\.)\s+", ranked[0]["text"])
    answer = max(sentences, key=lambda sentence: overlap(question, sentence))
    return [chunk["id"] for chunk in ranked], answer
