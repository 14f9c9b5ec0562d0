"""Slots in rotation."""

import asyncio

from evalparity.adapters.judge.limits import FairSlots


def served(asks, *, limit=1, cancelled=()):
    """Return the order in which calls get a slot; each is (framework, again), all asked while one call runs."""

    async def go():
        slots, order, done = FairSlots(limit), [], asyncio.Event()

        async def hold():
            async with slots.taken("first"):
                await done.wait()

        async def call(place, framework, again):
            async with slots.taken(framework, again=again):
                order.append(f"{framework}{place}")

        holders = [asyncio.create_task(hold()) for _ in range(limit)]
        await asyncio.sleep(0)
        tasks = [asyncio.create_task(call(place, *ask)) for place, ask in enumerate(asks)]
        await asyncio.sleep(0)
        for place in cancelled:
            tasks[place].cancel()
        done.set()
        await asyncio.gather(*holders, *tasks, return_exceptions=True)
        async with asyncio.timeout(5):  # nothing was lost on the way: all slots can be had again
            for _ in range(limit):
                await slots._take("end", again=False)
        return order

    return asyncio.run(go())


def test_slots_go_round_the_frameworks_that_wait():
    asks = [("a", False)] * 4 + [("b", False)] * 2 + [("c", False)]
    assert served(asks) == ["a0", "b4", "c6", "a1", "b5", "a2", "a3"]


def test_a_call_that_had_a_slot_goes_before_its_frameworks_others():
    assert served([("a", False), ("a", False), ("b", False), ("a", True)]) == ["a3", "b2", "a0", "a1"]


def test_cancelled_calls_lose_no_slot_and_no_turn():
    assert served([("a", False)] * 3 + [("b", False)], cancelled=(0, 3)) == ["a1", "a2"]
    assert served([("a", False)] * 6, limit=3, cancelled=(0, 1, 2, 3, 4, 5)) == []


def test_a_slot_given_in_the_moment_of_cancellation_is_given_on():
    async def go():
        slots = FairSlots(1)
        await slots._take("x", again=False)
        waiting = asyncio.create_task(slots._take("a", again=False))
        await asyncio.sleep(0)
        slots._give_back()  # the turn is given ...
        waiting.cancel()  # ... and its owner cancelled before it runs
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(5):
            await slots._take("b", again=False)

    asyncio.run(go())
