"""Compares counts of an object's elements, which may be of different sizes."""

import math

MAX_LINES = 65536  # of a kernel and object in global_counts.csv


class Counts:
    """Of the elements of an object: runs (first, last, accesses of each), from the first on;
    what is in none was not accessed, unless it is behind the end of a list as long as they get."""

    def __init__(self, element_bytes, end=math.inf):
        self.element_bytes = element_bytes
        self.runs = []
        self.end = end

    def last_known(self):
        return self.runs[-1][1] if len(self.runs) >= MAX_LINES else self.end

    def of_size(self, element_bytes):
        """The same counts, where as many neighbours as fit in this size are one element."""
        ratio = element_bytes // self.element_bytes
        if ratio == 1:
            return self
        last = self.last_known()
        larger = Counts(element_bytes, last if last == math.inf else (last + 1) // ratio - 1)
        for first, last, count in self.runs:
            while first <= last:
                element = first // ratio
                whole = (last + 1) // ratio - element if first % ratio == 0 else 0
                if whole > 0:
                    larger.runs.append((element, element + whole - 1, count * ratio))
                    first += whole * ratio
                else:
                    stop = min(last + 1, (element + 1) * ratio)
                    larger.add(element, count * (stop - first))
                    first = stop
        return larger

    def add(self, element, count):
        if self.runs and self.runs[-1][1] == element:
            count += self.runs.pop()[2]
        self.runs.append((element, element, count))


def overlaps(actual, found):
    """(elements, actual count, found count) for runs of elements."""
    end = min(actual.last_known(), found.last_known())
    actual, found = actual.runs, found.runs
    at = 0
    for first, last, count in actual:
        last = min(last, end)
        while first <= last:
            while at < len(found) and found[at][1] < first:
                at += 1
            if at == len(found):
                stop, other = last, 0
            elif found[at][0] > first:
                stop, other = min(last, found[at][0] - 1), 0
            else:
                stop, other = min(last, found[at][1]), found[at][2]
            yield stop - first + 1, count, other
            first = stop + 1


def mean_error(actual, found):
    """The accuracy loss of the paper (VI.B), here over elements: the mean of
    |count - actual| / actual; actual is the count of the level basic. Where one has counts
    of larger elements, as the default has of words of four bytes, they are compared by those."""
    if found is None:
        return "–"
    elements = error = 0
    for name, counts in actual.items():
        others = found.get(name, Counts(counts.element_bytes))
        size = math.lcm(counts.element_bytes, others.element_bytes)
        for number, count, other in overlaps(counts.of_size(size), others.of_size(size)):
            if count:
                elements += number
                error += number * abs(other - count) / count
    return f"{100 * error / elements:.2f} %" if elements else "–"
