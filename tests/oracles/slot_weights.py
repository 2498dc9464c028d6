"""The slot-weight method as plain loops over moments, jobs and bins: slow, and plainly right."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

from schedlab.workload.models.accasim.slot_weights import STEADYING_JOBS
from schedlab.workload.models.accasim.submission import LONGEST_GAP_MEANS, LONGEST_GAP_SHARE

HALF_HOUR = 1800
MONTH_DAYS = [31, 28.2425, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


class NaiveSlotWeights:
    """Times of jobs for gaps that are chosen by their place in the sorted gaps of the data."""

    def __init__(self, moments, zone, first, cycles, jobs):
        self.zone, self.first, self.jobs = zone, first, jobs
        self.follows = (cycles.hours, cycles.weekdays, cycles.months)
        self.places = [self.bins(moment) for moment in moments]
        self.slots = int(cycles.span_seconds // HALF_HOUR)
        self.part = cycles.span_seconds / HALF_HOUR - self.slots
        self.total = sum(self.weight(n) for n in range(self.slots))
        self.total += self.part * self.weight(self.slots)
        sums = [self.sum_until(moment) for moment in moments]
        gaps = sorted(after - before for before, after in pairwise(sums))
        mean = self.total / jobs
        scale = mean / (sum(gaps) / len(gaps))
        longest = max(LONGEST_GAP_SHARE * self.total, LONGEST_GAP_MEANS * mean)
        gaps = [min(longest, gap * scale) for gap in gaps]
        scale = mean / (sum(gaps) / len(gaps))
        self.gaps = [gap * scale for gap in gaps]

    def bins(self, moment):
        local = datetime.fromtimestamp(moment, self.zone)
        return local.hour * 2 + local.minute // 30, local.weekday(), local.month - 1

    def weight(self, number):
        """Returns the weight of a slot, counted from the first."""
        mine = self.bins(self.first + number * HALF_HOUR)
        weight = 1.0
        even = (1 / 48, 1 / 7, MONTH_DAYS[mine[2]] / 365.2425)
        for cycle in range(3):
            if self.follows[cycle]:
                same = sum(place[cycle] == mine[cycle] for place in self.places)
                weight *= same / len(self.places) / even[cycle]
        return weight

    def sum_until(self, moment):
        whole, part = divmod(moment - self.first, HALF_HOUR)
        total = sum(self.weight(n) for n in range(int(whole)))
        return total + part / HALF_HOUR * self.weight(int(whole))

    def progress(self, number, times):
        """Returns what the bins of a slot have, by what they should have in the middle of it."""
        slot, weekday, month = self.bins(self.first + number * HALF_HOUR)
        mine = (slot // 2, weekday, month)
        product = 1.0
        for cycle in range(3):
            if not self.follows[cycle]:
                continue
            have = due = STEADYING_JOBS
            for other in range(number + 1):
                slot, weekday, month = self.bins(self.first + other * HALF_HOUR)
                if (slot // 2, weekday, month)[cycle] == mine[cycle]:
                    share = 0.5 if other == number else 1.0
                    due += share * self.weight(other) * self.jobs / self.total
            for place in times:
                slot, weekday, month = self.bins(self.first + int(place) * HALF_HOUR)
                have += (slot // 2, weekday, month)[cycle] == mine[cycle]
            product *= have / due
        return product

    def times(self, gaps):
        """Returns where jobs come, in slots from the first."""
        longest = self.gaps[-1]
        slot_of_weight = min(1.0, longest / 2)  # v is counted in slots of even weight
        place, times = 0.0, []
        for gap in gaps:
            adapted = longest - (longest - slot_of_weight) * (1 - self.progress(int(place), times))
            v = min(longest, gap / longest * adapted)
            number = int(place)
            left = (number + 1 - place) * self.weight(number)
            while v >= left:
                v -= left
                number += 1
                place, left = float(number), self.weight(number)
            place += v / self.weight(number)
            times.append(place)
        return times
