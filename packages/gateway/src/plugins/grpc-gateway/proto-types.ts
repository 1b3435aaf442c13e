import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ProtoField, type ProtoFile, type ProtoMethod, parseProto } from './proto-file.ts';

/** What a field holds: a scalar by its name, a message or an enum by what they declare. */
export type FieldType =
  | { readonly kind: 'scalar'; readonly name: string }
  | { readonly kind: 'message'; readonly name: string }
  | { readonly kind: 'enum'; readonly values: ReadonlyMap<string, number> };

const mostFiles = 64;
const mostBytes = 1024 * 1024;

/** Files that everybody imports and nobody has beside their own. */
const wellKnown: Readonly<Record<string, string>> = {
  'google/api/annotations.proto': '',
  'google/api/http.proto': '',
  'google/protobuf/descriptor.proto': '',
  'google/protobuf/any.proto':
    'package google.protobuf; message Any { string type_url = 1; bytes value = 2; }',
  'google/protobuf/duration.proto':
    'package google.protobuf; message Duration { int64 seconds = 1; int32 nanos = 2; }',
  'google/protobuf/empty.proto': 'package google.protobuf; message Empty {}',
  'google/protobuf/field_mask.proto':
    'package google.protobuf; message FieldMask { repeated string paths = 1; }',
  'google/protobuf/timestamp.proto':
    'package google.protobuf; message Timestamp { int64 seconds = 1; int32 nanos = 2; }',
  'google/protobuf/wrappers.proto': `package google.protobuf; ${[
    ...['double', 'float', 'int64', 'uint64', 'int32', 'uint32', 'bool', 'string', 'bytes'],
  ]
    .map((type) => `message ${wrapperName(type)} { ${type} value = 1; }`)
    .join(' ')}`,
};

function wrapperName(type: string): string {
  const name = type.startsWith('uint') ? `UI${type.slice(2)}` : type;
  return `${name[0]?.toUpperCase()}${name.slice(1)}Value`;
}

/** The messages and methods of a .proto file and of all that it imports. */
export class ProtoTypes {
  readonly methods: ProtoMethod[] = [];
  readonly #messages = new Map<string, readonly ProtoField[]>();
  readonly #enums = new Map<string, ReadonlyMap<string, number>>();
  /** Types by `scope type`, once they are found. */
  readonly #found = new Map<string, FieldType>();
  readonly #files = new Set<string>();

  /** Reads the file; imports are looked for beside it. Throws with the file and the line of what is wrong. */
  static load(file: string): ProtoTypes {
    const types = new ProtoTypes();
    types.#add(file, dirname(file), readProto(file));
    return types;
  }

  #add(name: string, directory: string, source: string): void {
    if (this.#files.has(name)) return;
    this.#files.add(name);
    if (this.#files.size > mostFiles) throw new Error(`${name}: more than ${mostFiles} files`);
    let parsed: ProtoFile;
    try {
      parsed = parseProto(source);
    } catch (cause) {
      throw new Error(`${name}: ${(cause as Error).message}`, { cause });
    }
    for (const [key, fields] of parsed.messages) this.#messages.set(key, fields);
    for (const [key, values] of parsed.enums) this.#enums.set(key, values);
    this.methods.push(
      ...parsed.methods.map((method) => ({
        ...method,
        input: this.#lazyName(parsed.package, method.input),
        output: this.#lazyName(parsed.package, method.output),
      })),
    );
    for (const each of parsed.imports) {
      const known = Object.hasOwn(wellKnown, each) ? wellKnown[each] : undefined;
      const path = join(directory, each);
      if (known !== undefined) this.#add(each, directory, known);
      else this.#add(path, directory, readProto(path));
    }
  }

  /** Names of methods are looked up when they are used: what they name may be in a file that is read later. */
  #lazyName(scope: string, name: string): string {
    return name.startsWith('.') ? name : `${scope}>${name}`;
  }

  /** The full name of a message that a method takes or gives. */
  messageName(written: string): string {
    const [scope = '', name = written] = written.includes('>') ? written.split('>') : [];
    const type = this.typeOf(scope, name);
    if (type.kind !== 'message') throw new Error(`${name} is no message`);
    return type.name;
  }

  fields(message: string): readonly ProtoField[] {
    return this.#messages.get(message) ?? [];
  }

  /** What a name means in a message or package: the innermost that has it. */
  typeOf(scope: string, name: string): FieldType {
    const key = `${scope} ${name}`;
    let type = this.#found.get(key);
    if (type === undefined) {
      type = this.#look(scope, name);
      this.#found.set(key, type);
    }
    return type;
  }

  #look(scope: string, name: string): FieldType {
    if (scalars.has(name)) return { kind: 'scalar', name };
    const parts = name.startsWith('.') || scope === '' ? [] : scope.split('.');
    for (let length = parts.length; length >= 0; length -= 1) {
      const full = [...parts.slice(0, length), name.replace(/^\./, '')].join('.');
      if (this.#messages.has(full)) return { kind: 'message', name: full };
      const values = this.#enums.get(full);
      if (values !== undefined) return { kind: 'enum', values };
    }
    throw new Error(`the type ${name} is declared nowhere`);
  }
}

const scalars = new Set([
  ...['double', 'float', 'bool', 'string', 'bytes'],
  ...['int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64'],
  ...['fixed32', 'fixed64', 'sfixed32', 'sfixed64'],
]);

/** Whoever names a file may name a pipe or a device: nothing is waited for, and no more than enough is read. */
function readProto(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file}: this is no file`);
    const bytes = Buffer.alloc(mostBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= mostBytes; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    if (length > mostBytes) throw new Error(`${file}: more than ${mostBytes} bytes`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
