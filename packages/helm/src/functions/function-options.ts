import type { KeyObject } from 'node:crypto';
import type { GoMap } from '../go/value.ts';
import type { KeyKind } from './private-key.ts';

/** What functions get from outside; none of them asks the process, the clock or the network. */
export interface FunctionOptions {
  /** Which Helm is to be followed where 3 and 4 differ. */
  readonly helm: 3 | 4;
  /** What `now` says. */
  readonly now: Date;
  /** So many random bytes, for passwords and keys: `randomBytes` of node:crypto. */
  readonly random: (count: number) => Uint8Array;
  /** The zone of `date` and of `now`, by its IANA name; a function is asked when a template needs it. */
  readonly timeZone: string | (() => string);
  /** Lint: `required` and `fail` do not fail, and `lookup` finds nothing. */
  readonly lint?: boolean;
  /** What `required` and `fail` would have said while linting, and which of them. */
  readonly onWarning?: (message: string, by: 'required' | 'fail') => void;
  /**
   * Reads an object of the cluster, or with an empty name the list of a kind. An object that is not there
   * is an empty map. Without a reader everything is empty.
   */
  readonly lookup?: (apiVersion: string, kind: string, namespace: string, name: string) => GoMap;
  /** Makes private keys; without it node:crypto does, by the system's randomness. */
  readonly makeKey?: (kind: KeyKind) => KeyObject;
  /** What `getHostByName` says; without it always the empty text, as without `--enable-dns`. */
  readonly resolveHost?: (name: string) => string;
}
