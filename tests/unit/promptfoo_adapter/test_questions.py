"""What a judge writes as a question counts as one, with or without its mark; what is talk does not."""

from __future__ import annotations

import pytest

from evalparity.adapters.promptfoo_adapter.questions import asks, is_talk
from support.judge_faults import PROSE

MARKED = [
    "Who pays?",
    "谁承担运费？",
    "من يدفع؟",
    "Ποιος πληρώνει\u037e",
    "Ποιος πληρώνει;",
    "顾客要付运费吗",
    "送料はいくらですか。",
    "반품 기간은 얼마나 됩니까.",
]

REQUESTS = [
    "What is the return period",
    "Explain the refund policy.",
    "**Question:** What is the return period",
    "Question: Describe how a defect is verified.",
    "Sure. Explain the refund policy.",
    "Certainly! Here is the question:\nwhat does the merchant pay",
    "Based on the policy, how long may a customer wait",
    "The policy covers defects. Based on it, what does the merchant owe. Answer in full.",
    "I can't find my receipt and the shoes are broken",
    "Certainly, what is the return period",
    "Great Britain has its own rules for returns",
    "According to the policy. In which case does the merchant pay",
    "1. how long may a customer wait",
    '{"question": "What is the return period"}',
    "refund policy return period",
    "The return period of the shop",
    "I would like to know the return period",
    "Can a customer return goods after ten days",
    "Could you tell me who pays the postage.",
    "Tell me about shipping. Include the costs.",
    "Isn't the merchant liable. ",
    "¿Cuál es el plazo de devolución",
    "Explique la política de reembolso.",
    "Quel est le délai de retour",
    "Wie lange ist die Rückgabefrist. ",
    "Erkläre die Rückgaberegeln.",
    "Какой срок возврата",
    "退货期限是多久",
    "退货期限是多久。",
    "请解释退款政策。",
    "我的订单多久能到",
    "我无法退货怎么办",
    "以下哪些商品不能退",
    "以下是否可以退货",
    "作为会员，退货期限是多久",
    "您好，退货期限是多久",
    "好的，退货期限是多久",
    "好的。退货期限是多少天",
    "当然，以下是问题：谁承担运费",
    "返品期間はどのくらい",
    "반품 기간 얼마",
    "ما هي مدة الإرجاع",
    "वापसी की अवधि क्या है",
    "İade süresi ne kadar",
]

TALK = [
    PROSE,
    "I'm sorry, but I cannot help with that.",
    "I’m sorry, I can’t.",
    "Sorry, no.",
    "Certainly! The statements are all well supported. I would agree with them.",
    "Here is what I think about these statements.",
    "As an AI language model I have no opinion on this.",
    "I cannot generate a question for this answer.",
    "I think the answer is about shipping.",
    "The answer covers refunds. It says that the merchant pays. It is complete.",
    "N/A",
    "None.",
    "No.",
    "No question can be made of this.",
    '{"statements": ["The merchant pays."]}',
    "Lo siento, no puedo ayudar con eso.",
    "Por supuesto. Aquí está mi opinión sobre el texto.",
    "Je suis désolé, je ne peux pas répondre.",
    "Bien sûr ! Voici mon avis sur ces phrases.",
    "Es tut mir leid, das geht nicht.",
    "Natürlich! Hier ist meine Meinung dazu.",
    "Извините, я не могу помочь.",
    "抱歉，我不知道您在说什么。",
    "当然！以下是我对这些陈述的看法。",
    "好的，我来分析这段文字。",
    "我无法回答这个问题。",
    "Como modelo de linguagem não tenho opinião. O texto é claro. Obrigado.",
    "这个答案讲的是退款。它说商家付款。",
    "申し訳ありませんが、お答えできません。",
    "죄송하지만 도와드릴 수 없습니다.",
    "عذراً، لا أستطيع المساعدة.",
]


@pytest.mark.parametrize("text", MARKED)
def test_a_question_mark_or_particle_of_any_script_asks(text: str) -> None:
    assert asks(text)
    assert not is_talk(text)


@pytest.mark.parametrize("text", REQUESTS)
def test_a_question_or_request_without_its_mark_is_no_talk(text: str) -> None:
    assert not asks(text)
    assert not is_talk(text)


@pytest.mark.parametrize("text", TALK)
def test_talk_is_no_question(text: str) -> None:
    assert is_talk(text)


def test_a_semicolon_asks_in_greek_alone() -> None:
    assert is_talk("Sorry; the statements are fine")


def test_a_number_or_an_abbreviation_does_not_make_several_sentences() -> None:
    assert not is_talk("The fee for parcels over 3.5 kg at Example Inc. today")


def test_a_long_hostile_reply_is_read_at_once() -> None:
    assert is_talk("Sorry, " + "a. " * 200_000)
