import type { ChangeRow } from './changes.ts';
import type { FlowNode } from './flow.ts';
import type { ProblemRow } from './problems.ts';
import type { RouteRow, RouteTraffic } from './routes.ts';

/** The collections that are kept live, and what is in each. Every item has an `id`. */
export interface Topics {
  readonly flow: FlowNode;
  readonly routes: RouteRow;
  readonly traffic: RouteTraffic;
  readonly changes: ChangeRow;
  readonly problems: ProblemRow;
}

export type Topic = keyof Topics;

/** `GET TOPIC`: all of it. A stream from `version` on misses nothing and doubles nothing. */
export interface TopicSnapshot<T extends Topic = Topic> {
  readonly version: string;
  readonly items: readonly Topics[T][];
}

/** An item that the page has, changed: the fields that are other now; null for one that is gone. */
export type ItemChange<Item extends { readonly id: string }> = { readonly id: string } & {
  readonly [Field in keyof Item]?: Item[Field] | null;
};

/**
 * One event of `GET stream?topics=routes,problems&since=VERSION`. Its SSE id is the version that it leads to,
 * so that a browser that lost the connection goes on behind the last one that it saw. Where the server no
 * longer knows what came after that version it says `reset`, and the page reads the topic anew.
 */
export type StreamMessage = {
  readonly [T in Topic]:
    | {
        readonly topic: T;
        /** Whole items: new, or known in a state that the server does not know. */
        readonly put?: readonly Topics[T][];
        /** What is other of items that whoever followed the stream has. */
        readonly set?: readonly ItemChange<Topics[T]>[];
        /** Ids that are gone, or that the person may no longer see. */
        readonly drop?: readonly string[];
      }
    | { readonly topic: T; readonly reset: true };
}[Topic];
