"""A reader of the feed of events, who holds every answer against the contract (section 13)."""

from urllib.parse import urlencode

from .shapes import EVENT, check_shape
from .tools import eventually

PATH = "/internal/v1/events"


class Feed:
    """Reads on from where it stands; `events` are all that it has read, in order."""

    def __init__(self, client, after=None):
        self.client = client
        self.after = after
        self.events = []

    @classmethod
    def from_now_on(cls, client):
        feed = cls(client)
        while feed.read(limit=500):
            pass
        feed.events.clear()
        return feed

    def ask(self, **query):
        if self.after is not None:
            query = {"after": self.after, **query}
        return self.client.get(f"{PATH}?{urlencode(query)}")

    def read(self, **query):
        """The events of one answer."""
        answer = self.ask(**query).expect(200)
        assert set(answer) == {"events", "last_seq"}
        events = [check_shape(event, EVENT) for event in answer["events"]]
        numbers = [event["seq"] for event in events]
        if "types" not in query and numbers:
            first = numbers[0] if self.after is None else self.after + 1
            assert numbers == list(range(first, first + len(numbers))), "the feed has a gap"
            assert answer["last_seq"] == numbers[-1]
        assert numbers == sorted(set(numbers))
        self.after = answer["last_seq"]
        self.events += events
        return events

    def of(self, subject_id):
        """What was told of a subject: pairs of type and sequence."""
        return [(event["type"], event["subject"]["sequence"]) for event in self.events
                if event["subject"]["id"] == subject_id]

    def types_of(self, subject_id):
        return [kind for kind, _ in self.of(subject_id)]

    def wait_for(self, subject_id, *types, within=5):
        """Reads until these types were told of a subject, and no others; returns the last event."""
        def are_told():
            self.read()
            return self.types_of(subject_id) == list(types)

        assert eventually(are_told, within, 0.02), (types, self.of(subject_id))
        return next(event for event in reversed(self.events)
                    if event["subject"]["id"] == subject_id)
