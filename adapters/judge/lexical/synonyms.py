"""Which English words the lexical judge takes for one another, and which for opposites."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.adapters.judge.lexical.stemming import stem
from evalparity.adapters.judge.lexical.wordlists import classes, groups, opposites

_SAME = """
purchase buy acquire obtain|customer buyer client consumer shopper|merchant seller retailer vendor shop store
product item goods merchandise article|staff employee worker personnel|employer company firm business
refund reimburse repay|cost price fee charge expense|begin start commence launch|finish end conclude complete
big large huge great|small little tiny|quick fast rapid speedy|show demonstrate indicate reveal|help assist aid
doctor physician|car automobile vehicle|photo photograph picture image|film movie|job employment
holiday vacation|annual yearly|found establish create set|build construct|live reside inhabit|place put
need require must necessary mandatory obligatory compulsory|allow permit authorise let|send ship dispatch
receive get|warranty guarantee|broken defective faulty damaged|defect fault flaw|kid child minor|elderly senior
university college|pupil student|teacher instructor|letter mail post|contract agreement
change modify alter amend|choose select pick|check verify confirm inspect|error mistake|fix repair mend
happen occur|important significant|main principal primary chief|near close|nearly almost|inform notify tell
join enter|illness disease|drug medication medicine|treat cure|make produce manufacture|money fund cash
author writer|ocean sea|road street|rubbish trash garbage waste|town city|leader head chief|country nation
government state|law legislation|try attempt|use utilise|wealthy rich|whole entire full|deliver delivery
invoice bill|baggage luggage|sign signature|password passcode|e-mail email|mobile phone telephone cellphone
flat apartment|autumn fall|lift elevator|petrol gasoline gas|get obtain|operate run|locate situate
approximate about roughly around|contain include comprise|discover detect|provide offer supply give|speak talk
state say declare|famous well-known renowned|novel book|remain stay|submit file lodge|form document|request ask
answer reply respond|own possess hold|pay settle|bear pay|reduce lower decrease cut|grow increase rise raise
protect safeguard|danger hazard risk|usa us-country america|uk-country uk britain|rule regulation policy
member subscriber|cancel revoke annul|trip journey travel|fly flight|feed eat|period term duration|max maximum
min minimum|age old|tall high height|wide width|heavy weigh weight|study research|scientist researcher
test examine exam|meeting session|replace exchange swap substitute|keep retain store|delete erase remove
data information|free complimentary gratis|invent create|lawyer attorney|complain complaint
win award earn receive|plaintiff claimant|renter tenant lessee|landlord lessor owner|rent lease|vote ballot
population inhabitants residents|border frontier|mountain peak|award prize|debut first|pass approve adopt
stop halt cease discontinue|expire lapse|trip tour excursion|tired weary|angry furious|sick ill unwell
happy glad|sad unhappy|gift present|shoe footwear|clothes clothing garment|beautiful pretty
smart clever intelligent|story tale|road highway|murder kill|fire blaze|burn destroy|crash collision accident
injure hurt wound|save rescue|steal rob theft|fight battle combat|war conflict|boss manager supervisor
colleague coworker|hire recruit employ engage|dismiss fire sack|salary wage pay|pension retirement
debt liability|tool instrument device|engine motor|screen display|laptop computer
software program application app|bug fault|network internet web online|guide manual handbook|map plan
aim goal objective purpose target|idea concept notion|reason cause|result outcome consequence effect
problem issue difficulty|solution remedy|advantage benefit merit|disadvantage drawback
part piece portion section|group team crew|area region zone district|field meadow|forest woods|hill slope
coast shore beach|island isle|village hamlet|suburb outskirts|begin open|remain continue|last persist
wait delay postpone defer|hurry rush|arrive reach|visit attend|gather collect assemble|divide split
mix blend combine|link connect join|compare contrast|measure gauge|count number|calculate compute
estimate assess evaluate|teach instruct train|recommend advise suggest|warn caution|promise pledge guarantee
demand insist|persuade convince|trust rely|believe think|remember recall|recognise identify
understand comprehend|opinion view|belief faith|support back endorse|attack assault|criticise condemn
blame accuse|forgive pardon|food meal dish|drink beverage|vegetarian vegan|bread loaf|room chamber
cellar basement|garden yard|floor storey level|ship boat vessel ferry|plane aircraft aeroplane airplane
bike bicycle cycle|lorry truck|passenger traveller|driver motorist|luggage baggage|seat place|journey voyage
fare ticket|route way path|station stop|speed velocity|old ancient|new recent modern|rare scarce uncommon
common frequent|huge enormous|broad wide|strange odd unusual|exact precise accurate|clear obvious evident
simple easy straightforward|hard difficult tough|possible feasible|enough sufficient adequate|quiet silent
loud noisy|clean tidy|dirty filthy|wet damp|cool cold chilly|calm peaceful|safe secure|empty vacant
spoken oral verbal|yearly annual|permanent lasting|temporary interim provisional|legal lawful|illegal unlawful
entitled eligible|exempt excluded|valid effective|void invalid|liable responsible|duty responsibility obligation
right entitlement|penalty fine sanction|rebate discount reduction|surcharge supplement|instalment payment
balance remainder|audit inspection|parliament congress assembly|minister secretary|citizen national
election vote|court tribunal|crime offence|prison jail|hospital clinic|surgery operation|wound injury|virus germ
vaccine jab|symptom sign|cure heal|pregnant expecting|baby infant newborn|actor actress performer
singer vocalist|painter artist|picture painting|sculpture statue|theatre playhouse|concert gig|album record
role part|match game|coach trainer|champion winner|defeat beat|score goal|tournament competition contest
"""
_OPPOSITES = """
allow dismiss|uphold dismiss|uphill downhill|upstairs downstairs|optional must|front back|above below
majority minority|gain loss|expand shrink|approve decline|open closed|open shut|increase decrease
increase decline|increase drop|increase fall|include exclude|before after|early late|more less|high low
big small|long short|fast slow|old young|hot cold|win lose|succeed fail|true false|safe dangerous|legal illegal
legal unlawful|mandatory optional|mandatory voluntary|free paid|always never|cheap expensive|public private
present absent|begin finish|strong weak|good bad|easy difficult|easy hard|full empty|light heavy|alive dead
arrive depart|enter leave|buy sell|import export|import outflow|maximum minimum|temporary permanent
internal external|indoor outdoor|upper lower|left right|north south|east west|domestic international
domestic foreign|positive negative|benefit harm|improve worsen|support oppose|agree disagree|valid expired
valid void|enable disable|connect disconnect|appear disappear|lock unlock|load unload|profit loss|ancient modern
borrow lend
"""
_EXCLUSIVE = """
monday tuesday wednesday thursday friday saturday sunday weekday weekend
january february march april june july august september october november december|spring summer autumn winter
red blue green yellow black white brown orange purple pink grey gray|north south east west
morning afternoon evening night midnight noon|customer merchant carrier manufacturer|employee employer
tenant landlord|buyer seller|plaintiff defendant|teacher student parent|doctor patient nurse|husband wife
father mother|brother sister|son daughter|child adult|man woman|boy girl|dog cat horse bird fish|oral written
copper iron steel gold silver wood plastic glass aluminium|cash card cheque
train bus plane car ship bicycle tram|breakfast lunch dinner|hourly daily weekly monthly annual
math physics chemistry biology medicine literature peace economics|first second third fourth fifth
single double triple|single married divorced|novel poem play film|europe asia africa australia america
atlantic pacific indian arctic|english french german spanish chinese japanese italian russian
mercury venus earth mars jupiter saturn uranus neptune|heart liver lung kidney brain stomach
chairman president secretary treasurer director|email phone fax|gas liquid solid|lender borrower|basement ground
inbound outbound|gross net|minimum maximum average|domestic international|guest host|lessee lessor
standard premium basic gold silver platinum
"""


def _same() -> Mapping[str, str]:
    # The first group that names a word wins, so that groups never flow into one another.
    keys: dict[str, str] = {}
    for group in groups(_SAME):
        head = keys.get(stem(group[0]), stem(group[0]))
        for word in group:
            keys.setdefault(stem(word), head)
    return MappingProxyType(keys)


_KEYS = _same()


def key_of(word: str) -> str:
    """Return the key under which a lower-case word and its synonyms are compared."""
    bare = stem(word)
    return _KEYS.get(bare, bare)


OPPOSITES = opposites([[key_of(word) for word in pair] for pair in groups(_OPPOSITES)])
"""The opposites of a key, by key."""

CLASSES = classes([[key_of(word) for word in group] for group in groups(_EXCLUSIVE)])
"""Numbers of the sets of mutually exclusive words that a key belongs to."""
