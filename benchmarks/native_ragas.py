"""Ragas' own run, as its documentation shows it: `evaluate` over a data set, so many jobs at a time.

python benchmarks/native_ragas.py SUITE URL IN_FLIGHT      # prints how many scores came out
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from made_cases import read_cases
from ragas import EvaluationDataset, RunConfig, evaluate
from ragas.embeddings import LangchainEmbeddingsWrapper
from ragas.llms import LangchainLLMWrapper
from ragas.metrics import Faithfulness, LLMContextRecall, ResponseRelevancy


def main(suite: str, url: str, in_flight: str) -> None:
    """Score with the three core metrics."""
    samples = [
        {
            "user_input": case.input,
            "response": case.output,
            "reference": case.reference,
            "retrieved_contexts": case.retrieved_contexts,
        }
        for case in read_cases(Path(suite))
    ]
    chat = ChatOpenAI(model="gpt-4o-mini", base_url=url, api_key="any", max_retries=0)
    # Without the option it fetches a tokenizer from the network.
    embeddings = OpenAIEmbeddings(base_url=url, api_key="any", check_embedding_ctx_length=False, max_retries=0)
    result = evaluate(
        EvaluationDataset.from_list(samples),
        metrics=[Faithfulness(), LLMContextRecall(), ResponseRelevancy()],
        llm=LangchainLLMWrapper(chat),
        embeddings=LangchainEmbeddingsWrapper(embeddings),
        run_config=RunConfig(max_workers=int(in_flight)),
        show_progress=False,
    )
    scores = [score for row in result.scores for score in row.values()]
    print(json.dumps({"scores": sum(math.isfinite(score) for score in scores), "of": len(scores)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
