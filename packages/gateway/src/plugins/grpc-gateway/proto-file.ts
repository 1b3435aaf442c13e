import { ProtoTokens } from './proto-tokens.ts';

/** A field of a message; its type is a scalar's name, or a message or enum as it is written. */
export interface ProtoField {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly isRepeated: boolean;
  /** A value that is the type's default is still one that was given. */
  readonly hasPresence: boolean;
  /** Of the keys, if it is a map. */
  readonly mapKey?: string;
}

/** One way in which a method is reached by HTTP. */
interface HttpRule {
  readonly method: string;
  readonly path: string;
  /** The field that the body becomes; `*` for all of them. */
  readonly body: string | undefined;
}

export interface ProtoMethod {
  /** As in `/package.Service/Method`. */
  readonly path: string;
  readonly input: string;
  readonly output: string;
  readonly rules: readonly HttpRule[];
}

/** What a .proto file declares, by full names. */
export interface ProtoFile {
  readonly package: string;
  readonly imports: string[];
  readonly messages: Map<string, readonly ProtoField[]>;
  readonly enums: Map<string, ReadonlyMap<string, number>>;
  readonly methods: ProtoMethod[];
}

const deepest = 32;

/** Reads a .proto file, as far as messages and HTTP rules need it. Throws with the line of what is wrong. */
export function parseProto(source: string): ProtoFile {
  return new ProtoReader(source).read();
}

class ProtoReader {
  readonly #tokens: ProtoTokens;
  #package = '';
  readonly #file: Omit<ProtoFile, 'package'> = {
    imports: [],
    messages: new Map(),
    enums: new Map(),
    methods: [],
  };

  constructor(source: string) {
    this.#tokens = new ProtoTokens(source);
  }

  read(): ProtoFile {
    const tokens = this.#tokens;
    while (!tokens.isAtEnd) {
      const word = tokens.peek();
      if (tokens.take(';')) continue;
      if (tokens.take('package')) this.#package = this.#statement();
      else if (tokens.take('import')) this.#import();
      else if (tokens.take('message')) this.#message(this.#package, 0);
      else if (tokens.take('enum')) this.#enum(this.#package);
      else if (tokens.take('service')) this.#service();
      else if (['syntax', 'option', 'extend', 'edition'].includes(word)) tokens.skipStatement();
      else throw tokens.problem('this is no declaration');
    }
    return { ...this.#file, package: this.#package };
  }

  #statement(): string {
    const value = this.#tokens.next();
    this.#tokens.expect(';');
    return value;
  }

  #import(): void {
    if (!this.#tokens.take('public')) this.#tokens.take('weak');
    this.#file.imports.push(this.#tokens.string());
    this.#tokens.expect(';');
  }

  #message(scope: string, depth: number): void {
    const tokens = this.#tokens;
    if (depth > deepest) throw tokens.problem('messages are nested too deep');
    const name = within(scope, tokens.next());
    const fields: ProtoField[] = [];
    this.#file.messages.set(name, fields);
    tokens.expect('{');
    while (!tokens.take('}')) {
      if (tokens.take(';')) continue;
      if (tokens.take('message')) this.#message(name, depth + 1);
      else if (tokens.take('enum')) this.#enum(name);
      else if (tokens.take('oneof')) this.#oneof(fields);
      else if (['option', 'reserved', 'extensions', 'extend'].includes(tokens.peek()))
        tokens.skipStatement();
      else fields.push(this.#field(false));
    }
  }

  #oneof(fields: ProtoField[]): void {
    const tokens = this.#tokens;
    tokens.next();
    tokens.expect('{');
    while (!tokens.take('}')) {
      if (tokens.take(';')) continue;
      if (tokens.peek() === 'option') tokens.skipStatement();
      else fields.push(this.#field(true));
    }
  }

  #field(isOneOf: boolean): ProtoField {
    const tokens = this.#tokens;
    const isRepeated = tokens.take('repeated');
    const isOptional = tokens.take('optional') || tokens.take('required');
    let mapKey: string | undefined;
    let type = tokens.next();
    if (type === 'map' && tokens.take('<')) {
      mapKey = tokens.next();
      tokens.expect(',');
      type = tokens.next();
      tokens.expect('>');
    }
    const name = tokens.next();
    tokens.expect('=');
    const number = tokens.integer();
    if (tokens.peek() === '[') tokens.skipStatement();
    else tokens.expect(';');
    const hasPresence = isOneOf || isOptional;
    return { name, number, type, isRepeated, hasPresence, ...(mapKey && { mapKey }) };
  }

  #enum(scope: string): void {
    const tokens = this.#tokens;
    const values = new Map<string, number>();
    this.#file.enums.set(within(scope, tokens.next()), values);
    tokens.expect('{');
    while (!tokens.take('}')) {
      if (tokens.take(';')) continue;
      if (['option', 'reserved'].includes(tokens.peek())) {
        tokens.skipStatement();
        continue;
      }
      const name = tokens.next();
      tokens.expect('=');
      values.set(name, tokens.integer());
      if (tokens.peek() === '[') tokens.skipStatement();
      else tokens.expect(';');
    }
  }

  #service(): void {
    const tokens = this.#tokens;
    const service = within(this.#package, tokens.next());
    tokens.expect('{');
    while (!tokens.take('}')) {
      if (tokens.take(';')) continue;
      if (tokens.take('rpc')) this.#method(service);
      else tokens.skipStatement();
    }
  }

  #method(service: string): void {
    const tokens = this.#tokens;
    const name = tokens.next();
    const input = this.#messageName();
    tokens.expect('returns');
    const output = this.#messageName();
    const rules: HttpRule[] = [];
    if (!tokens.take(';')) {
      tokens.expect('{');
      while (!tokens.take('}')) {
        if (tokens.take(';')) continue;
        tokens.expect('option');
        this.#methodOption(rules);
      }
    }
    this.#file.methods.push({ path: `/${service}/${name}`, input, output, rules });
  }

  #messageName(): string {
    const tokens = this.#tokens;
    tokens.expect('(');
    tokens.take('stream');
    const name = tokens.next();
    tokens.expect(')');
    return name;
  }

  #methodOption(rules: HttpRule[]): void {
    const tokens = this.#tokens;
    const isHttp = tokens.take('(') && tokens.next() === 'google.api.http' && tokens.take(')');
    if (isHttp && tokens.take('=') && tokens.take('{')) {
      this.#rule(rules);
      tokens.take(';');
    } else tokens.skipStatement();
  }

  /** The inside of `{ get: "/v1/x" body: "*" additional_bindings { … } }`. */
  #rule(rules: HttpRule[]): void {
    const tokens = this.#tokens;
    const found: { method: string; path: string }[] = [];
    const more: HttpRule[] = [];
    let body: string | undefined;
    while (!tokens.take('}')) {
      if (tokens.take(',') || tokens.take(';')) continue;
      const key = tokens.next();
      const hasColon = tokens.take(':');
      if (key === 'additional_bindings' && tokens.take('[')) {
        while (!tokens.take(']'))
          if (tokens.take('{')) this.#rule(more);
          else tokens.expect(',');
      } else if (key === 'additional_bindings' && tokens.take('{')) this.#rule(more);
      else if (!hasColon || tokens.peek() === '{') tokens.skipStatement();
      else if (key === 'body') body = tokens.string();
      else found.push({ method: key, path: tokens.string() });
    }
    for (const each of found) {
      if (verbs.includes(each.method)) rules.push({ ...each, body });
    }
    rules.push(...more);
  }
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'];

function within(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}
