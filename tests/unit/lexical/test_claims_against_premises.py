"""One rule a line: what the judge makes of numbers, dates, units, negation, conditions and roles."""

from __future__ import annotations

import pytest

from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE

RETURNS = "Once the defect is verified, the merchant pays return shipping."
EXCEPTION = "All items can be returned except underwear."
UNLESS = "No refunds are given unless the item is defective."

CASES = [
    ("1,000 people came.", "About 1000 people came.", "supported"),
    ("Three people came.", "3 people came.", "supported"),
    ("7 people came.", "70 people came.", "contradicted"),
    ("He was born on March 14, 1879.", "He was born on 14 March 1879.", "supported"),
    ("He was born on 1879-03-14.", "He was born on 14 March 1879.", "supported"),
    ("他生于1879年3月14日。", "他生于一八七九年三月十四日。", "supported"),
    ("He was born in 1897.", "He was born on 14 March 1879.", "contradicted"),
    ("Delivery takes 7 weeks.", "Delivery takes 7 days.", "contradicted"),
    ("Delivery takes two weeks.", "Delivery takes 14 days.", "supported"),
    ("Delivery takes one month.", "Delivery takes 30 days.", "contradicted"),
    ("The parcel weighs 2 kg.", "The parcel weighs 2000 g.", "supported"),
    ("The fee is 30%.", "The fee is thirty percent.", "supported"),
    ("费率为百分之三十。", "费率为30%。", "supported"),
    ("The fee is $5.", "The fee is 5 euros.", "contradicted"),
    ("The office opens at 9 a.m.", "The office opens at 9:00.", "supported"),
    ("Gold members get 10%.", "Silver members get 10%, and gold members get 15%.", "contradicted"),
    ("Returns take at least 5 days.", "Returns take at most 5 days.", "contradicted"),
    ("The item is refundable.", "The item is non-refundable.", "contradicted"),
    ("The item cannot be returned.", "The item can be returned.", "contradicted"),
    ("The item can't be returned.", "The item cannot be returned.", "supported"),
    ("Smoking is prohibited here.", "Smoking is not allowed here.", "supported"),
    ("The price is not only low but fair.", "The price is low and fair.", "supported"),
    ("Gift cards can be used online.", "Gift cards never expire, and they can be used online.", "supported"),
    ("No, the item can be returned.", "The item can be returned.", "supported"),
    ("No item can be returned.", "The item can be returned.", "contradicted"),
    ("商品七天内不能退货。", "商品七天内可以退货。", "contradicted"),
    ("该服务不收费。", "该服务免费。", "supported"),
    ("The merchant pays return shipping.", RETURNS, "supported"),
    ("The merchant always pays return shipping.", RETURNS, "unsupported"),
    ("The merchant pays return shipping even if the defect is not verified.", RETURNS, "contradicted"),
    ("The customer pays return shipping.", RETURNS, "contradicted"),
    ("Return shipping is paid by the customer.", RETURNS, "contradicted"),
    ("Return shipping is paid by the seller.", RETURNS, "supported"),
    ("退货运费由顾客承担。", "质量问题经核实后，退货运费由卖家承担。", "contradicted"),
    ("退货运费由商家承担。", "质量问题经核实后，退货运费由卖家承担。", "supported"),
    ("退貨運費由商家承擔。", "质量问题经核实后，退货运费由卖家承担。", "supported"),
    ("Underwear can be returned.", EXCEPTION, "contradicted"),
    ("Underwear cannot be returned.", EXCEPTION, "supported"),
    ("Refunds are given if the item is defective.", UNLESS, "supported"),
    ("Refunds are given.", UNLESS, "contradicted"),
    ("Mercury is larger than Earth.", "Earth is larger than Mercury.", "contradicted"),
    ("Mercury is smaller than Earth.", "Earth is larger than Mercury.", "supported"),
    ("The shop is open on Sundays.", "The shop is open on Saturdays and closed on Sundays.", "contradicted"),
    ("The hotel has a pool.", "The hotel has a gym.", "unsupported"),
    ("The moon is made of cheese.", "Goods can be returned within a week.", "unsupported"),
    ("The contract covers COVID-19.", "The contract covers COVID-19.", "supported"),
]


@pytest.mark.parametrize(("claim", "premise", "label"), CASES)
def test_label(claim: str, premise: str, label: str) -> None:
    assert LEXICAL_JUDGE.judge_claim(claim, [premise]).label == label


def test_reason_quotes_both_sides_and_names_the_premise() -> None:
    judgement = LEXICAL_JUDGE.judge_claim(
        "Returns are possible within 7 days.", ["Shipping is free.", "Returns are possible within 30 days."]
    )
    assert judgement.reason == '"7 days" against "30 days" in premise 2'
    assert judgement.premise == 1


def test_facts_may_stand_in_two_premises() -> None:
    premises = ["Ada Lovelace was born in London.", "Ada Lovelace wrote the first program."]
    judgement = LEXICAL_JUDGE.judge_claim("Ada Lovelace, born in London, wrote the first program.", premises)
    assert judgement.label == "supported"


def test_pronoun_takes_the_subject_of_the_sentence_before() -> None:
    premise = "All tickets are personal. They are non-transferable."
    assert LEXICAL_JUDGE.judge_claim("Tickets are transferable.", [premise]).label == "contradicted"


def test_sentence_that_agrees_outweighs_one_about_something_else() -> None:
    premises = ["Gift cards cannot be returned.", "Shoes can be returned."]
    assert LEXICAL_JUDGE.judge_claim("Shoes can be returned.", premises).label == "supported"


@pytest.mark.parametrize("claim", ["", "   ", "...", "the of and", "😀"])
def test_claim_without_words_is_unsupported(claim: str) -> None:
    judgement = LEXICAL_JUDGE.judge_claim(claim, ["Goods can be returned."])
    assert (judgement.label, judgement.premise) == ("unsupported", None)


@pytest.mark.parametrize("premises", [[], [""], ["   ", "\n"]])
def test_no_premise_supports_nothing(premises: list[str]) -> None:
    assert LEXICAL_JUDGE.judge_claim("Goods can be returned.", premises).label == "unsupported"


def test_quotes_are_at_most_eighty_characters() -> None:
    premise = "Goods can be returned " + "and repaired " * 40
    reason = LEXICAL_JUDGE.judge_claim("Goods can be returned.", [premise]).reason
    assert len(reason[reason.index('"') + 1 : reason.rindex('"')]) == 80
