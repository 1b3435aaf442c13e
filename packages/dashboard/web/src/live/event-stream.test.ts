import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventStreamReader } from './event-stream.ts';

const cases: readonly { name: string; text: string; events: readonly [string, string][] }[] = [
  { name: 'one event', text: 'id: 7\ndata: a\n\n', events: [['7', 'a']] },
  {
    name: 'no id keeps the last',
    text: 'id: 7\ndata: a\n\ndata: b\n\n',
    events: [
      ['7', 'a'],
      ['7', 'b'],
    ],
  },
  { name: 'several data lines', text: 'data: a\ndata: b\n\n', events: [['', 'a\nb']] },
  { name: 'comments', text: ': alive\n\nid:1\ndata:x\n: more\n\n', events: [['1', 'x']] },
  { name: 'an id alone is no event', text: 'id: 9\n\ndata: a\n\n', events: [['9', 'a']] },
  {
    name: 'carriage returns',
    text: 'id: 1\r\ndata: a\r\n\r\ndata: b\r\rdata: c\n\n',
    events: [
      ['1', 'a'],
      ['1', 'b'],
      ['1', 'c'],
    ],
  },
  { name: 'a field without a colon', text: 'data\n\n', events: [['', '']] },
  { name: 'only the first space goes', text: 'data:  a\n\n', events: [['', ' a']] },
  { name: 'what was cut is not given out', text: 'data: a\n\ndata: b\n', events: [['', 'a']] },
];

test.each(cases)('reads $name', ({ text, events }) => {
  const read = new EventStreamReader().push(text);
  expect(read.map(({ id, data }) => [id, data])).toEqual(events);
});

test('reads the same wherever it is cut', () => {
  const text = cases.map((one) => one.text).join('');
  const whole = new EventStreamReader().push(text);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const reader = new EventStreamReader();
      const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
      const read = places
        .slice(1)
        .flatMap((end, index) => reader.push(text.slice(places[index], end)));
      expect(read).toEqual(whole);
    }),
  );
});
