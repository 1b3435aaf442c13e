import { statSync } from 'node:fs';
import { type HttpBinding, httpBindings } from './http-binding.ts';
import { ProtoTypes } from './proto-types.ts';

/** What a .proto file says of a service. */
interface ProtoService {
  readonly types: ProtoTypes;
  readonly bindings: readonly HttpBinding[];
}

interface Loaded {
  /** What the file says, or why it says nothing. */
  readonly read: () => ProtoService;
  readonly version: string;
  checkedAt: number;
}

/** By the name of the file. One that has changed is read again, looked at once a second at most, also while it is broken. */
const services = new Map<string, Loaded>();

/** The service that a file declares. Throws what is wrong with it. */
export function serviceOf(file: string): ProtoService {
  const known = services.get(file);
  const now = Date.now();
  if (known !== undefined && now - known.checkedAt < 1000) return known.read();
  const version = versionOf(file);
  if (known?.version === version) {
    known.checkedAt = now;
    return known.read();
  }
  const read = outcomeOf(() => {
    const types = ProtoTypes.load(file);
    return { types, bindings: httpBindings(types.methods) };
  });
  services.set(file, { read, version, checkedAt: now });
  return read();
}

/** What tells a file from what it was before; one that is not there has a version too. */
function versionOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.mtimeMs} ${found.size}`;
}

/** Gives, or throws, the same again as it did the first time. */
function outcomeOf<Value>(make: () => Value): () => Value {
  try {
    const value = make();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
