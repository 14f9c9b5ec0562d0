"""What the lexical judge knows of Chinese words, in simplified characters: plain tables, general ones."""

from __future__ import annotations

from evalparity.adapters.judge.lexical.wordlists import forms, groups, words

NEGATORS = words("""
不 不予 不享有 不会 不低于 不允许 不再 不准 不包括 不可 不可以 不含 不在 不宜 不少于 不属于 不应 不得 不必
不接受 不提供 不支持 不收 不早于 不是 不晚于 不用 不能 不许 不超过 不足以 不适用 不需 不需要 不高于 严禁
並不 並非 从不 从未 免 切勿 别 勿 并不 并未 并没有 并非 拒絕 拒绝 无 无权 无法 无需 无须 未 未曾 未经 未能
毫无 没 没有 禁止 非
""")
"""Words that negate their clause."""

NOT_NEGATING = words("""
不丹 不久 不仅 不但 不僅 不光 不动产 不只 不同 不妨 不安 不少 不幸 不得不 不得已 不断 不时 不满 不由得
不等式 不管 不良 不論 不论 不过 不锈钢 不错 无人机 无形 无机 无穷 无线 无論 无论 无锡 无限 未婚 未必 未来
没收 非典 非常 非洲
""")
"""Words that begin like a negation and are none."""

CONDITION_MARKS = words("""
一旦 倘若 假如 凭 只有 只要 如 如果 当 未经 经 若 要是 除 除了 除非
""")
"""Words that open a side clause: a condition or an exception."""

NEGATED_MARKS = words("""
未经 除 除了 除非
""")
"""Those of them that negate what follows."""

CONDITION_ENDS = words("""
之前 之后 以前 以后 前 后 时 的话
""")
"""Words that close a side clause before a comma."""

UNCONDITIONAL = words("""
一律 不管 不论 任何情况 始终 总是 无条件 无論 无论
""")
"""Words by which a claim denies every condition."""

STOP_WORDS = words("""
一个 上 下 与 个 中 为 为了 之 也 了 于 人 什么 从 他 他们 以 件 会 但 位 位于 你 你们 使 全 共 关于 其 内
几 则 到 前 即 却 去 又 及 可 可以 可能 各 名 后 向 吗 吧 呢 和 哪 啊 因为 在 处 外 多少 大约 她 如果 它 对
将 就 属于 左右 已 已经 年 并 应 应当 很 必须 怎么 总 您 情况 我 我们 或 所 所以 所有 把 按 方面 日 时 是 更
最 月 有 条 来 某 根据 次 正在 此 每 由 的 目前 种 称为 等 约 经 给 而 能 能够 自己 被 要 让 该 该项 说 请
谁 还 这 这项 进行 通过 那 那么 都 里 需 需要 须
""")
"""Words that decide nothing by themselves."""

EXCLUSIVE_MARKS = words("仅 只 仅限 唯一 只能 只有 仅仅 只限")
"""Words by which a claim says that nothing else holds."""

BOUNDS = forms("""
max: 不超过 不高于 不晚于 最多 至多 以内 之内 内 以下 少于 低于
min: 不少于 不低于 不早于 至少 最少 超过 以上 多于 高于 起
""")
"""Words before or after a quantity that make it a limit."""

SAME = groups("""
承担 负担 支付 付 出 缴纳 交 负责 | 商家 卖家 店家 商户 店铺 卖方 经营者
顾客 买家 客户 消费者 用户 客戶 买方 购买者 | 退货 退回 退还 归还 | 退款 返款 退钱
瑕疵 缺陷 质量问题 毛病 故障 品质问题 | 验证 核实 确认 查实 核对 检验 证实
运费 邮费 快递费 运输费用 寄送费 | 购买 买 购入 選购 选购 | 商品 产品 货物 货品 | 员工 职工 雇员 职员
公司 企业 单位 | 出生 诞生 生于 | 去世 逝世 死亡 病逝 | 创立 成立 创办 建立 创建 设立 | 开始 起始 启动
结束 终止 完结 | 提供 供应 给予 | 允许 准许 容许 可以 | 禁止 不准 严禁 | 费用 收费 价格 价钱 金额
免费 免收 不收费 | 享有 享受 拥有 具有 | 首都 首府 | 医生 大夫 医师 | 学生 学员 | 学校 院校 | 提交 递交 呈交
申请 申办 | 办理 处理 受理 | 时间 期限 | 修理 维修 修复 | 更换 换货 调换 | 取消 撤销 | 增加 增长 上升 提高
减少 下降 降低 减 | 包括 包含 含 | 面积 占地 | 长度 全长 长 | 高度 高 海拔 | 人口 居民 | 药物 药品 药
疾病 病 | 儿童 小孩 孩子 未成年人 | 老人 老年人 | 火车 列车 | 飞机 航班 | 密码 口令 | 账户 帐户 账号 帐号
电话 手机 | 电子邮件 邮件 邮箱 | 发票 票据 | 优惠 折扣 | 会员 成员 | 签收 收货 收到 | 丢失 遗失
最大 最长 最高 | 博物馆 展馆 | 门票 入场券 | 周一 星期一 礼拜一 | 周二 星期二 礼拜二 | 周三 星期三 礼拜三
周四 星期四 礼拜四 | 周五 星期五 礼拜五 | 周六 星期六 礼拜六 | 周日 星期日 星期天 周天 礼拜天
""")
"""Groups of words that are taken for one another."""

OPPOSITE_PAIRS = groups("""
接受 拒绝 | 开放 关闭 | 开放 闭馆 | 开门 关门 | 营业 歇业 | 增加 减少 | 免费 收费 | 之前 之后 | 前 后
包括 排除 | 允许 禁止 | 有效 无效 | 公开 保密 | 提前 推迟 | 早于 晚于 | 多于 少于 | 高于 低于 | 盈利 亏损
成功 失败 | 必须 自愿 | 安全 危险
""")
"""Pairs of opposites."""

EXCLUSIVE = groups("""
商家 顾客 厂家 平台 承运人 | 员工 公司 | 房东 租客 | 周一 周二 周三 周四 周五 周六 周日
春季 夏季 秋季 冬季 | 红色 蓝色 绿色 黄色 黑色 白色 | 东 南 西 北 | 东部 南部 西部 北部
上午 下午 晚上 早上 | 父亲 母亲 | 丈夫 妻子 | 儿童 成人 老人 | 学生 教师 | 医生 患者 护士
物理学 化学 文学 医学 和平 经济学 数学 | 男 女 | 现金 信用卡 支票 转账 | 原告 被告 | 甲方 乙方
火车 飞机 汽车 轮船 地铁 | 诗 小说 戏剧 | 亚洲 欧洲 非洲 美洲 大洋洲 | 每天 每周 每月 每年 | 亚军 冠军 季军
口头 书面
""")
"""Groups of words that exclude one another."""

_TRADITIONAL = """
貨費買賣運驗證實後商質問題務員產擔負據時間開關會對應無沒過還進這與為從當顧價錢電話號碼單處請說們個學
醫藥車門館書國語東長萬億點歲體來發現經濟總統歷史戰爭創辦設計製壞換觸規則寶貝訂購網絡視頻圖資訊線內銷
售優惠額達數幾種類動業專導致營養離場繳納稅險讓認識須傳誤報觀眾聯繫樓層難災護權利屬適該條約頁標準獲獎
勵齡確樣麼嗎寫讀聽見記論談變選遠邊連遲錄錯鐘銀鐵陽陰際雙響飛飲馬鳥麗黨齊龍爾牆狀環療監盤禮穩筆紅級細
終給絕綠維練縣績繼續罰聲職脫臺舉艦藝藍補訓討許訴評詢試誰調講譯豐貿賓賠贈較輕輛輸轉農遺郵鄉鋼鎮閉閱隊
隨雖順預領頭願顏風飯並決減滿獨
"""
_SIMPLIFIED = """
货费买卖运验证实后商质问题务员产担负据时间开关会对应无没过还进这与为从当顾价钱电话号码单处请说们个学
医药车门馆书国语东长万亿点岁体来发现经济总统历史战争创办设计制坏换触规则宝贝订购网络视频图资讯线内销
售优惠额达数几种类动业专导致营养离场缴纳税险让认识须传误报观众联系楼层难灾护权利属适该条约页标准获奖
励龄确样么吗写读听见记论谈变选远边连迟录错钟银铁阳阴际双响飞饮马鸟丽党齐龙尔墙状环疗监盘礼稳笔红级细
终给绝绿维练县绩继续罚声职脱台举舰艺蓝补训讨许诉评询试谁调讲译丰贸宾赔赠较轻辆输转农遗邮乡钢镇闭阅队
随虽顺预领头愿颜风饭并决减满独
"""
SIMPLIFY = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
"""The commonest traditional characters, read as their simplified forms when words are compared."""
