import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rightsTo } from '../access/read-rights.ts';
import type { ProblemRow } from '../protocol/problems.ts';
import { EventReader } from '../testing/event-reader.ts';
import { type Guarded, type Rights, shownTo } from '../view/guarded.ts';
import { Hub, type Subscription } from './hub.ts';

const problem = (id: string, message: string, need: string): Guarded<ProblemRow> => ({
  item: { id, severity: 'warning', message, since: 1, ...(message === '' ? {} : { fix: message }) },
  needs: [need],
});

const one = rightsTo(new Set(['/Service/one']));
const everybody: Rights = { id: 'all', allows: () => true };

/** What a page does: reads a snapshot, then applies what comes; a lost connection goes on by itself. */
class Page {
  readonly items = new Map<string, ProblemRow>();
  readonly reader = new EventReader();
  readonly hub: Hub;
  readonly rights: Rights;
  isReading = true;
  resets = 0;
  #unread = '';
  #version: string;
  #subscription: Subscription | undefined;

  constructor(hub: Hub, rights: Rights) {
    this.hub = hub;
    this.rights = rights;
    this.#version = this.#snapshot();
    this.connect();
  }

  connect(): void {
    const since = this.reader.lastId === '' ? this.#version : this.reader.lastId;
    const write = (text: string): boolean => {
      this.#unread += text;
      return this.isReading;
    };
    this.#subscription = this.hub.subscribe({ write }, new Map([['problems', since]]), this.rights);
  }

  /** Takes in what came; of what is cut off, only so many characters. */
  read(most = Number.POSITIVE_INFINITY): void {
    this.reader.push(this.#unread.slice(0, most));
    this.#unread = '';
    for (const { message } of this.reader.events.splice(0)) {
      if (message.topic !== 'problems') continue;
      if ('reset' in message) {
        this.resets += 1;
        this.#snapshot();
        continue;
      }
      for (const row of message.put ?? []) this.items.set(row.id, row);
      for (const change of message.set ?? []) {
        const row = { ...(this.items.get(change.id) ?? expect.fail(change.id)), ...change };
        const fields = Object.entries(row).filter(([, value]) => value !== null);
        this.items.set(change.id, Object.fromEntries(fields) as unknown as ProblemRow);
      }
      for (const id of message.drop ?? []) this.items.delete(id);
    }
    if (this.isReading) this.#subscription?.resume();
    if (this.#unread !== '') this.read();
  }

  cut(most: number): void {
    this.hub.close(this.#subscription!);
    this.#subscription = undefined;
    this.read(most);
    this.reader.cut();
    this.connect();
  }

  #snapshot(): string {
    this.items.clear();
    for (const row of this.hub.feed('problems').shown(this.rights)) this.items.set(row.id, row);
    return this.hub.versionFor(this.rights);
  }
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }),
    text: fc.string({ maxLength: 3 }),
    need: fc.constantFrom('/Service/one', '/Service/two'),
  }),
  fc.record({ kind: fc.constant('drop' as const), id: fc.constantFrom('a', 'b', 'c', 'd') }),
  fc.record({ kind: fc.constant('cut' as const), most: fc.nat(400) }),
  fc.record({ kind: fc.constant('stall' as const) }),
  fc.record({ kind: fc.constant('read' as const) }),
);

describe('pages that come and go', () => {
  test('end with exactly what they may see, whatever was cut, slow or forgotten', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (steps, remembered) => {
          const hub = new Hub({ remembered });
          const pages = [new Page(hub, one), new Page(hub, everybody)];
          for (const each of steps) {
            if (each.kind === 'put')
              hub.publish(
                'problems',
                new Map(each.ids.map((id) => [id, problem(id, each.text, each.need)])),
              );
            else if (each.kind === 'drop') hub.publish('problems', new Map([[each.id, undefined]]));
            for (const page of pages) {
              if (each.kind === 'cut') page.cut(each.most);
              else if (each.kind === 'stall') page.isReading = false;
              else if (each.kind === 'read') {
                page.isReading = true;
                page.read();
              }
            }
          }
          for (const page of pages) {
            page.isReading = true;
            page.read();
            const wanted = hub.feed('problems').shown(page.rights);
            expect([...page.items.values()].sort(byId)).toEqual([...wanted].sort(byId));
            if (remembered > steps.length * 4) expect(page.resets).toBe(0);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a change that everybody sees is written once, and one that is not theirs is not mentioned', () => {
    const hub = new Hub();
    const texts: string[] = [];
    const write = (text: string): boolean => texts.push(text) > 0;
    const wanted = new Map([['problems' as const, hub.versionFor(one)]]);
    hub.subscribe({ write }, wanted, one);
    hub.subscribe({ write }, wanted, one);
    hub.publish('problems', new Map([['x', problem('x', 'mine', '/Service/one')]]));
    expect(texts).toHaveLength(2);
    // The very same string: it was made once.
    expect(texts[0]).toBe(texts[1]);
    hub.publish('problems', new Map([['y', problem('y', 'theirs', '/Service/two')]]));
    hub.publish('problems', new Map([['y', undefined]]));
    expect(texts).toHaveLength(2);
  });

  test('of what a page has, only the fields that are other are sent', () => {
    const hub = new Hub();
    const reader = new EventReader();
    hub.publish('problems', new Map([['x', problem('x', 'mine', '/Service/one')]]));
    hub.subscribe({ write: readInto(reader) }, new Map([['problems', hub.versionFor(one)]]), one);
    hub.publish('problems', new Map([['x', problem('x', '', '/Service/one')]]));
    expect(reader.events.at(-1)?.message).toEqual({
      topic: 'problems',
      set: [{ id: 'x', message: '', fix: null }],
    });
    const before = reader.events.length;
    // The same again is nothing to them, whoever else it is something to.
    hub.publish('problems', new Map([['x', problem('x', '', '/Service/one')]]));
    expect(reader.events).toHaveLength(before);
  });

  test('more changes at once than are remembered still reach whoever follows', () => {
    const hub = new Hub({ remembered: 3 });
    const reader = new EventReader();
    hub.subscribe({ write: readInto(reader) }, new Map([['problems', hub.versionFor(one)]]), one);
    const ids = ['a', 'b', 'c', 'd', 'e'];
    hub.publish('problems', new Map(ids.map((id) => [id, problem(id, id, '/Service/one')])));
    const [event] = reader.events;
    expect(event?.message).toMatchObject({ put: ids.map((id) => ({ id })) });
  });

  test('what a person may no longer see is dropped, and other rights begin anew', () => {
    const hub = new Hub();
    const reader = new EventReader();
    const write = readInto(reader);
    hub.publish('problems', new Map([['x', problem('x', 'mine', '/Service/one')]]));
    const page = hub.subscribe({ write }, new Map([['problems', hub.versionFor(one)]]), one);
    hub.publish('problems', new Map([['x', problem('x', 'theirs now', '/Service/two')]]));
    expect(reader.events.at(-1)?.message).toMatchObject({ drop: ['x'] });
    hub.setRights(page, rightsTo(new Set(['/Service/two'])));
    expect(reader.events.at(-1)?.message).toMatchObject({ topic: 'problems', reset: true });
  });

  test('a version of another process, of other rights or of the future begins anew', () => {
    const hub = new Hub({ epoch: 'now' });
    for (const version of [
      'before-0-all',
      'now-0-other',
      'now-7-all',
      'now-x-all',
      '',
      undefined,
    ]) {
      const reader = new EventReader();
      const write = readInto(reader);
      hub.subscribe({ write }, new Map([['routes', version]]), everybody);
      expect(reader.events).toMatchObject([{ message: { topic: 'routes', reset: true } }]);
    }
  });

  test('only the last of several messages has the id: who is cut before it asks again', () => {
    const hub = new Hub();
    const before = hub.versionFor(everybody);
    hub.publish('problems', new Map([['x', problem('x', 'a', '*')]]));
    hub.publish('changes', new Map());
    const node = { id: 'n', stage: 'route', title: 't', health: 'healthy', to: [] } as const;
    hub.publish('flow', new Map([['n', { item: node, needs: [] }]]));
    const ids: (string | undefined)[] = [];
    const write = (text: string): boolean => {
      for (const block of text.trim().split('\n\n')) ids.push(/^id: (.*)$/m.exec(block)?.[1]);
      return true;
    };
    hub.subscribe(
      { write },
      new Map([
        ['problems', before],
        ['flow', before],
      ]),
      everybody,
    );
    expect(ids).toEqual([undefined, hub.versionFor(everybody)]);
  });
});

const byId = (left: ProblemRow, right: ProblemRow): number => (left.id < right.id ? -1 : 1);

test('a part that needs more rights is cut off without them', () => {
  const guarded: Guarded<{ readonly a?: number; readonly b: number }> = {
    item: { a: 1, b: 2 },
    needs: ['/Service/one'],
    parts: [{ needs: ['/Service/two'], without: ({ a: _a, ...rest }) => rest }],
  };
  expect(shownTo(guarded, one)).toEqual({ b: 2 });
  expect(shownTo(guarded, everybody)).toEqual({ a: 1, b: 2 });
  expect(shownTo(guarded, rightsTo(new Set()))).toBeUndefined();
});

function readInto(reader: EventReader): (text: string) => boolean {
  return (text) => {
    reader.push(text);
    return true;
  };
}
