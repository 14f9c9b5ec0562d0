"""The built-in scorers that compare output and reference; each returns its number and how it came about."""

from __future__ import annotations

from fractions import Fraction

from evalparity.adapters.base import JsonObject, Reading
from evalparity.adapters.builtin_adapter.words import has_chinese, words

BLEU_ORDERS = 4
NO_WORDS = Reading(kind="no_claims", reason="Neither output nor reference holds a word to compare.")


def exact_match(inputs: JsonObject) -> Reading:
    """Score 1 where output and reference are the same text, white space at both ends left out, else 0."""
    output, reference = _texts(inputs)
    if output.strip() == reference.strip():
        return Reading(raw=1.0, reason="Output and reference are the same text.")
    return Reading(raw=0.0, reason="Output and reference differ.")


def contains(inputs: JsonObject) -> Reading:
    """Score 1 where the reference, white space at both ends left out, stands in the output as it is, else 0."""
    output, reference = _texts(inputs)
    at = output.find(reference.strip())
    if at < 0:
        return Reading(raw=0.0, reason="The reference does not stand in the output as it is.")
    return Reading(raw=1.0, reason=f"The reference stands in the output, from character {at + 1} on.")


def rouge_l(inputs: JsonObject) -> Reading:
    """Score the F measure of the longest common subsequence of words.

    Lin 2004, ROUGE (ACL W04-1013), section 3.1, equations 2 to 4 with beta = 1: of `lcs` common words, precision is
    `lcs / words of the output`, recall `lcs / words of the reference`, and their F is twice the common words over
    all words.
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - needed to score only, not to list what there is

    output, reference = map(words, _texts(inputs))
    total = len(output) + len(reference)
    if total == 0:
        return NO_WORDS
    common = LCSseq.similarity(output, reference)
    counted = f"{len(output)} words in the output, {len(reference)} in the reference, {common} in common and in order"
    return Reading(raw=2 * common / total, reason=f"{counted}: 2 x {common} / {total}.")


def bleu(inputs: JsonObject) -> Reading:
    """Score BLEU of one sentence with sacrebleu: the geometric mean of n-gram precisions times the brevity penalty.

    Papineni et al. 2002, BLEU (ACL P02-1040), section 2.3. Orders that the output is too short for are left out
    (`effective_order`), so that equal texts score 1 at any length. Where other orders have a match, one without counts
    as 1 / (2 x total), the next such as 1 / (4 x total), and so on (`exp`, Chen and Cherry 2014 (ACL W14-3346),
    section 3, smoothing 3). Words are divided by sacrebleu's `13a`, Chinese texts by its `zh`.
    """
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - loads numpy, needed to score only

    output, reference = _texts(inputs)
    tokenizer = "zh" if has_chinese(output + reference) else "13a"
    metric = BLEU(tokenize=tokenizer, smooth_method="exp", effective_order=True, max_ngram_order=BLEU_ORDERS)
    found = metric.sentence_score(output, [reference])
    if not found.sys_len and not found.ref_len:
        return NO_WORDS
    matches = ", ".join(f"{count}/{total}" for count, total in zip(found.counts, found.totals, strict=True) if total)
    return Reading(
        raw=float(found.score) / 100,
        reason=f"n-grams found in the reference: {matches or 'none'}; brevity penalty {found.bp:.3f}; "
        f"words divided by sacrebleu's {tokenizer}.",
    )


def levenshtein(inputs: JsonObject) -> Reading:
    """Score 1 minus the edit distance in characters over the length of the longer text.

    Levenshtein 1966: the fewest characters to insert, delete or replace that make one text the other.
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - needed to score only

    output, reference = _texts(inputs)
    longer = max(len(output), len(reference))
    edits = Levenshtein.distance(output, reference)
    return Reading(
        raw=float(1 - Fraction(edits, longer)),
        reason=f"{edits} to edit, {longer} characters in the longer text: 1 - {edits}/{longer}.",
    )


def _texts(inputs: JsonObject) -> tuple[str, str]:
    return str(inputs["output"]), str(inputs["reference"])
