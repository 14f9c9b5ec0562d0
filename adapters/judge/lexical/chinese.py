"""Chinese words: a dictionary tokenizer (jieba, through its kept Rust binding) and tables of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rjieba

NEGATORS = frozenset(
    [
        "不",
        "没",
        "没有",
        "沒有",
        "不能",
        "不会",
        "不會",
        "不可",
        "不可以",
        "不得",
        "不予",
        "不再",
        "不必",
        "不需",
        "不需要",
        "无需",
        "無需",
        "无须",
        "不用",
        "无",
        "無",
        "无法",
        "無法",
        "未",
        "未能",
        "未曾",
        "非",
        "并非",
        "並非",
        "不是",
        "不应",
        "不宜",
        "从不",
        "從不",
        "从未",
        "從未",
        "并不",
        "並不",
        "并未",
        "并没有",
        "毫无",
        "切勿",
        "勿",
        "别",
        "禁止",
        "严禁",
        "不准",
        "不许",
        "拒绝",
        "拒絕",
        "无权",
        "不包括",
        "不含",
        "不支持",
        "不适用",
        "不收",
        "不接受",
        "不享有",
        "不足以",
        "免",
        "未经",
        "不提供",
        "不允许",
        "不属于",
        "不在",
        "不超过",
        "不少于",
        "不低于",
        "不高于",
        "不晚于",
        "不早于",
    ]
)
_PREFIXES = ("不", "没", "未", "无", "無", "非", "沒")
_NOT_NEGATING = frozenset(
    [
        "不同",
        "不仅",
        "不但",
        "不断",
        "不管",
        "不论",
        "不少",
        "不久",
        "不过",
        "不错",
        "不妨",
        "不只",
        "不光",
        "不得不",
        "不得已",
        "不锈钢",
        "不動產",
        "不动产",
        "不僅",
        "不論",
        "不過",
        "非常",
        "非洲",
        "无论",
        "無論",
        "无线",
        "無線",
        "未来",
        "未來",
        "未婚",
        "无人机",
        "无锡",
        "没收",
        "非典",
        "无形",
        "无机",
        "不安",
        "不良",
        "不满",
        "不幸",
        "不丹",
        "不时",
        "不由得",
        "不等式",
        "无穷",
        "无限",
        "未必",
    ]
)
BOUNDS = MappingProxyType(
    {
        "不超过": "max", "不高于": "max", "不晚于": "max", "最多": "max", "至多": "max", "以内": "max", "之内": "max", "内": "max", "以下": "max", "少于": "max", "低于": "max",
        "不少于": "min", "不低于": "min", "不早于": "min", "至少": "min", "最少": "min", "超过": "min", "以上": "min", "多于": "min", "高于": "min", "起": "min",
    }
)  # fmt: skip
"""Words that make a quantity before or after them a limit."""

CONDITION_MARKS = frozenset(
    [
        "如果",
        "若",
        "如",
        "假如",
        "只要",
        "只有",
        "一旦",
        "当",
        "除非",
        "除",
        "除了",
        "要是",
        "倘若",
        "未经",
        "經",
        "经",
        "凭",
        "當",
    ]
)
NEGATED_MARKS = frozenset(["除非", "除", "除了", "未经"])
CONDITION_ENDS = frozenset(["后", "之后", "以后", "後", "之後", "时", "時", "的话", "之前", "前", "以前"])
UNCONDITIONAL = frozenset(["无论", "無論", "不管", "一律", "总是", "始终", "任何情况", "无条件", "不论"])
_FUNCTION_TAGS = ("u", "p", "c", "y", "e", "o", "r", "f", "x", "k", "h", "d", "zg", "ul", "uj", "w", "q")
_NOUN_TAGS = ("n", "vn", "j", "l", "i", "b", "a", "eng")
_NAME_TAGS = ("nr", "ns", "nt", "nz")
STOP_WORDS = frozenset(
    [
        "的",
        "了",
        "是",
        "在",
        "有",
        "和",
        "与",
        "及",
        "或",
        "而",
        "也",
        "都",
        "就",
        "又",
        "还",
        "很",
        "更",
        "最",
        "会",
        "可",
        "可以",
        "能",
        "能够",
        "应",
        "应当",
        "须",
        "必须",
        "需",
        "需要",
        "要",
        "将",
        "把",
        "被",
        "给",
        "让",
        "使",
        "从",
        "到",
        "对",
        "向",
        "于",
        "以",
        "为",
        "为了",
        "因为",
        "所以",
        "如果",
        "那么",
        "这",
        "那",
        "其",
        "该",
        "此",
        "每",
        "各",
        "某",
        "我",
        "你",
        "他",
        "她",
        "它",
        "我们",
        "你们",
        "他们",
        "自己",
        "什么",
        "怎么",
        "哪",
        "谁",
        "几",
        "多少",
        "个",
        "位",
        "名",
        "条",
        "件",
        "种",
        "次",
        "中",
        "上",
        "下",
        "里",
        "内",
        "外",
        "后",
        "前",
        "时",
        "由",
        "即",
        "则",
        "并",
        "但",
        "却",
        "等",
        "之",
        "所",
        "所有",
        "一个",
        "進行",
        "进行",
        "可能",
        "目前",
        "已",
        "已经",
        "正在",
        "來",
        "来",
        "去",
        "說",
        "说",
        "請",
        "请",
        "您",
        "吗",
        "呢",
        "吧",
        "啊",
        "按",
        "根据",
        "通过",
        "关于",
        "经",
        "处",
        "方面",
        "情况",
        "大约",
        "约",
        "左右",
        "共",
        "总",
        "全",
        "人",
        "年",
        "月",
        "日",
        "属于",
        "位于",
        "称为",
        "这项",
        "该项",
    ]
)
_SAME = """
承担 负担 支付 付 出 承擔 負擔 缴纳 交 负责|商家 卖家 店家 商户 賣家 店铺 卖方 经营者
顾客 买家 客户 消费者 用户 顧客 買家 客戶 买方 购买者|退货 退貨 退回 退还 归还|退款 返款 退钱
瑕疵 缺陷 质量问题 毛病 故障 品質問題|验证 核实 确认 查实 核對 核对 检验 证实
运费 邮费 快递费 运输费用 運費 寄送费|购买 买 购入 選購 选购 購買|商品 产品 货物 货品 产品 商品
员工 职工 雇员 职员 員工|公司 企业 单位 公司|出生 诞生 生于|去世 逝世 死亡 病逝|创立 成立 创办 建立 创建 设立
开始 起始 启动|结束 终止 完结|提供 供应 给予|允许 准许 容许 可以|禁止 不准 严禁|费用 收费 价格 价钱 金额
免费 免收 不收费|享有 享受 拥有 具有|首都 首府|医生 大夫 医师|学生 学员|学校 院校|提交 递交 呈交|申请 申办
办理 处理 受理|时间 期限|修理 维修 修复|更换 换货 调换|取消 撤销|增加 增长 上升 提高|减少 下降 降低 减
包括 包含 含|面积 占地|长度 全长 长|高度 高 海拔|人口 居民|药物 药品 药|疾病 病|儿童 小孩 孩子 未成年人
老人 老年人|火车 列车|飞机 航班|密码 口令|账户 帐户 账号 帐号|电话 手机|电子邮件 邮件 邮箱|发票 票据|优惠 折扣
会员 成员|签收 收货 收到|丢失 遗失|最大 最长 最高|博物馆 展馆|门票 入场券
"""
_OPPOSITES = """
接受 拒绝|开放 关闭|开放 闭馆|开门 关门|营业 歇业|增加 减少|免费 收费|之前 之后|前 后|包括 排除|允许 禁止
有效 无效|公开 保密|提前 推迟|早于 晚于|多于 少于|高于 低于|盈利 亏损|成功 失败|必须 自愿|安全 危险
"""
_EXCLUSIVE = """
商家 顾客 厂家 平台 承运人|员工 公司|房东 租客
周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五 星期六 星期日|春季 夏季 秋季 冬季
红色 蓝色 绿色 黄色 黑色 白色|东 南 西 北|东部 南部 西部 北部|上午 下午 晚上 早上|父亲 母亲|丈夫 妻子
儿童 成人 老人|学生 教师|医生 患者 护士|物理学 化学 文学 医学 和平 经济学 数学|男 女|现金 信用卡 支票 转账
原告 被告|甲方 乙方|火车 飞机 汽车 轮船 地铁|诗 小说 戏剧|亚洲 欧洲 非洲 美洲 大洋洲|每天 每周 每月 每年
亚军 冠军 季军|口头 书面
"""
TRADITIONAL = str.maketrans(
    "貨費買賣運驗證實後商質問題務員產擔負據時間開關會對應無沒過還進這與為從當顧價錢電話號碼單據處請說們個學醫藥車門館書國語東長萬億點歲體來發現經濟總統歷史戰爭創辦設計製壞換觸規則寶貝訂購網絡視頻圖資訊線內銷售優惠額達數幾種類動業專門導致營養離場繳納稅險讓認識須傳統誤報導觀眾聯繫樓層難災難養護權利屬適應該條約頁標準獲獎勵齡",
    "货费买卖运验证实后商质问题务员产担负据时间开关会对应无没过还进这与为从当顾价钱电话号码单据处请说们个学医药车门馆书国语东长万亿点岁体来发现经济总统历史战争创办设计制坏换触规则宝贝订购网络视频图资讯线内销售优惠额达数几种类动业专门导致营养离场缴纳税险让认识须传统误报导观众联系楼层难灾难养护权利属适应该条约页标准获奖励龄",
)
"""The commonest traditional characters, read as their simplified forms when words are compared."""


@dataclass(frozen=True, slots=True)
class ChineseWord:
    """One word: its text, whether it decides nothing by itself, and whether it is a name, and whether it can be a subject."""

    text: str
    stop: bool
    name: bool
    noun: bool


@lru_cache(maxsize=1)
def _tokenizer() -> rjieba.Jieba:
    import rjieba  # noqa: PLC0415 - loads a dictionary for 0.2 s, needed for Chinese text only

    tokenizer = rjieba.Jieba()
    for word in (*(word for word in NEGATORS if len(word) > 1), *BOUNDS, "退货", "运费", "退款", "换货"):
        tokenizer.add_word(word, 100_000, "v")
    return tokenizer


def chinese_words(text: str) -> list[ChineseWord]:
    """Return the words of a text without spaces, in order; nothing is left out."""
    return [
        ChineseWord(word, _is_stop(word, tag), tag.startswith(_NAME_TAGS) and len(word) > 1, tag.startswith(_NOUN_TAGS))
        for word, tag in _tokenizer().tag(text)
    ]


def _is_stop(word: str, tag: str) -> bool:
    return word in STOP_WORDS or tag in _FUNCTION_TAGS


def is_negator(word: str) -> bool:
    """Say whether a Chinese word negates, alone or by its first character."""
    return word in NEGATORS or (word.startswith(_PREFIXES) and word not in _NOT_NEGATING)


def negated_part(word: str) -> str:
    """Return what a negating word negates by itself: `支持` for `不支持`, nothing for `不`."""
    return "" if len(word) < 3 or not word.startswith(_PREFIXES) else word[1:]  # noqa: PLR2004 - two characters are left


def _table(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().replace("\n", "|").split("|")]


def _same() -> Mapping[str, str]:
    keys: dict[str, str] = {}
    for words in _table(_SAME):
        for word in words:
            keys.setdefault(word, words[0])
    return MappingProxyType(keys)


_KEYS = _same()


def chinese_key(word: str) -> str:
    """Return the key under which a Chinese word and its synonyms are compared."""
    return _KEYS.get(word, word)


def _classes() -> Mapping[str, frozenset[int]]:
    table: dict[str, set[int]] = {}
    for number, words in enumerate(_table(_EXCLUSIVE)):
        for word in words:
            table.setdefault(chinese_key(word), set()).add(number)
    return MappingProxyType({key: frozenset(numbers) for key, numbers in table.items()})


CLASSES = _classes()
"""Numbers of the sets of mutually exclusive words that a key belongs to."""


def _opposites() -> Mapping[str, tuple[str, ...]]:
    table: dict[str, set[str]] = {}
    for words in _table(_OPPOSITES):
        first, second = (chinese_key(word) for word in words)
        table.setdefault(first, set()).add(second)
        table.setdefault(second, set()).add(first)
    return MappingProxyType({key: tuple(sorted(others)) for key, others in table.items()})


OPPOSITES = _opposites()
"""The opposites of a key, by key."""
