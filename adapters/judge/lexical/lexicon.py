"""What the lexical judge knows of English words: plain tables, general ones, none made for an example."""

from __future__ import annotations

from types import MappingProxyType

from evalparity.adapters.judge.lexical.wordlists import forms, words

ABBREVIATIONS = words("""
a.m al approx apr art aug ave blvd capt cf ch co col corp d.c dec dept dr e.g ed eds eg eq est etc ext feb
fig figs gen gov hon i.e ie inc jan jr jul jun lt ltd mar max min mr mrs ms mt no nos nov oct p p.m ph.d pp
prof rd rep rev sec sen sep sept sgt sr st tel u.k u.n u.s u.s.a vol vols vs
""")
"""Words, lower-case and without their last stop, whose full stop ends no sentence."""

VERB_MARKS = words("""
allows applies are aren aren't be became becomes been began begins bought built came can can't cannot closes
comes contains costs could couldn couldn't covers did didn didn't do does doesn doesn't don don't ends found
gave gets gives goes got had hadn hadn't has hasn hasn't have haven haven't held helps holds includes is isn
isn't keeps lasts led left lives lost made makes may means might must needs offers opens paid pays provides
ran requires runs saw says shall should sold starts takes took uses wants was wasn wasn't went were weren
weren't will won won't works would wouldn wouldn't wrote
""")
"""Words that show that a clause has a verb of its own."""

SUBJECT_OPENERS = words("""
as at by for from in nor of on or than to with
""")
"""Words with which no clause begins that could stand alone."""

STOP_WORDS = words("""
a about above additionally all along already also although am among an and another any anyone anything are
around as at back be because been being below between both but by called can considered could d did do does
doing done down during e.g each eg either etc even every everyone few for from furthermore get gets give
given gives go goes got had has have having he he's hence her here hers him his how however i i'll i'm i've
i.e ie if in indeed into is it it's its itself just known least less let lets ll m made make makes many may
me might mine more moreover most much must my named o of off on once one ones only onto or other ought our
ours out over own per please re s same several shall she she's should since so some someone something still
such t take taken takes than that that's the their theirs them themselves then there there's therefore these
they they'll they're they've this those though through thus to too took under unless until up upon us use
used uses using ve very via was we we'll we're we've well were what when where whereas whether which while
who whom whose why will with within would y yet you you'll you're you've your yours
""")
"""Words that decide nothing by themselves."""

LIGHT_WORDS = words("""
able according additional allow amount approximate available base based become case certain come consist
contain currently different example find first follow form general good help important include keep kind
know last like locate main mean must need new next normal number offer often order part particular people
person place possible provide put receive require result say see seem set show sometimes specific start
state stay tell thing time type typical usual various want way within work
""")
"""Words that decide little: they weigh a third of a content word."""

NEGATORS = words("""
ain't aren't barely can't cannot couldn't didn't doesn't don't fail failed fails hadn't hardly hasn't
haven't isn't lack lacked lacking lacks mightn't mustn't needn't neither never no nobody none nor not
nothing nowhere scarcely shan't shouldn't unable wasn't weren't without won't wouldn't
""")
"""Words that negate their clause."""

CONDITION_MARKS = words("""
assuming except excluding if insteadof once provided providing unless until when whenever without
""")
"""Words that open a side clause: a condition or an exception."""

NEGATED_MARKS = words("""
except excluding insteadof unless without
""")
"""Those of them that negate what follows."""

NOMINAL_MARKS = words("""
except excluding insteadof without
""")
"""Those of them that govern a noun, so that the main clause goes on at the next verb."""

DETERMINERS = words("""
a an her his its my our the their these this your
""")
"""Words that begin a noun phrase."""

CLAUSE_OPENERS = words("""
he i it she then there these they this we which who you
""")
"""Words that open another clause after a comma or after `and`."""

CLAUSE_MARKS = words("""
although because but however so therefore though whereas while yet
""")
"""Words that open another main clause."""

UNCONDITIONAL = words("""
always anyway invariably irrespective regardless unconditionally
""")
"""Words by which a claim denies every condition."""

EXCLUSIVE = words("only solely exclusively")
"""Words by which a claim says that nothing else holds."""

NEGATIVE_WORDS = forms("""
possible: impossible | valid: invalid | available: unavailable | eligible: ineligible
necessary: unnecessary
allow: prohibit prohibits prohibited prohibiting forbid forbids forbidden ban bans banned disallow disallowed
accept: declined declines decline reject rejects rejected refuse refuses refused rejecting refusing deny denies denied
legal: illegal
""")
"""Words that negate by themselves, and what they negate."""

BOUNDS = forms("""
min: atleast minimum morethan over above exceed exceeds exceeding after beyond
max: atmost maximum lessthan under below within before
""")
"""Words before a quantity that make it a limit."""

IRREGULAR = forms("""
pay: paid pays payer | buy: bought | sell: sold | build: built | write: written wrote | begin: began begun
hold: held | lead: led leading | win: won winning | lose: lost losing | find: finding
found: founded founder founds founding | leave: left | send: sent | spend: spent | speak: spoke spoken
grow: grew grown | know: knew known | see: saw seen | become: became | come: came | run: ran running
rise: rose risen | fall: fell fallen | drive: drove driven driving | eat: ate eaten | drink: drank drunk
choose: chose chosen choice | teach: taught | think: thought | bring: brought | keep: kept | mean: meant
meet: met | lie: lying lay lain | shut: shutting | hear: heard | child: children | man: men | woman: women
foot: feet | tooth: teeth | mouse: mice | person: people persons | life: lives | half: halves
bad: worse worst | good: better best | far: further farther | die: died dies death dead dying
born: birth births | use: using used uses user | tax: taxes | bus: buses
cancel: cancellation cancelled cancelling canceled | transport: transportation
forbid: forbidden forbade forbidding | occur: occurred occurring occurrence | refer: referred referring
prefer: preferred | submit: submitted submitting submission | permit: permitted permitting permission
admit: admitted admission admissible | apply: application applications applicant applied applies applicable
approve: approval approved | arrive: arrival | renew: renewal | propose: proposal
deliver: delivery deliveries | discover: discovery | high: higher highest height | large: larger largest
small: smaller smallest | long: longer longest length | old: older oldest | cheap: cheaper cheapest
fast: faster fastest | big: bigger biggest | low: lower lowest | early: earlier earliest
late: later latest | short: shorter shortest | strong: stronger strongest strength | wide: wider width
deep: deeper depth | heavy: heavier heaviest | analyse: analysis analyses analyze analyzed
lease: leases leasing | produce: product products production | explain: explanation | describe: description
decide: decision | divide: division | explode: explosion | expand: expansion | extend: extension
compete: competition competitor | invent: inventor inventions | direct: director directed
translate: translator | elect: elected election | marry: married marriage | active: activity | able: ability
special: specialise specialised
""")
"""Base form by irregular or derived form."""

_PHRASE_FORMS = forms("""
expire: run_out runs_out ran_out | burn: burn_down burned_down burnt_down | dismiss: laid_off lay_off | stop: shut_down
anytime: at_any_time whenever_you_like | happen: came_about | responsible: in_charge | increase: go_up goes_up went_up
decrease: go_down goes_down went_down | cancel: call_off | born: came_into_being | tolerate: put_up_with
-: not_only not_just not_merely no_doubt too_much | unless: if_not | not: no_longer not_necessarily
regardless: no_matter even_if even_without even_when
atmost: no_more_than not_more_than no_later_than at_most up_to a_maximum_of
atleast: no_less_than no_fewer_than not_less_than no_earlier_than at_least a_minimum_of
morethan: more_than greater_than longer_than | lessthan: less_than fewer_than
except: other_than with_the_exception_of apart_from aside_from
insteadof: rather_than instead_of as_opposed_to
if: provided_that as_long_as so_long_as on_condition_that only_if only_when in_case
once: only_after as_soon_as | free: free_of_charge at_no_cost at_no_charge for_free no_charge no_cost
found: set_up | perform: carry_out carried_out | rejected: turned_down | reject: turn_down
register: sign_up | registered: signed_up | return: send_back give_back | returned: sent_back
submit: hand_in | postpone: put_off | cancelled: called_off | before: in_advance prior_to ahead_of
happen: takes_place took_place take_place | because: due_to | born: gave_birth | died: passed_away
contain: consists_of made_up_of | highschool: high_school | us-country: united_states
uk-country: united_kingdom
""")
PHRASES = MappingProxyType(
    {tuple(phrase.split("_")): "" if word == "-" else word for phrase, word in _PHRASE_FORMS.items()}
)
"""Word sequences read as one word; the empty word drops them."""
