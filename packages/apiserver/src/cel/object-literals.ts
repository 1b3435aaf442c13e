/**
 * Expressions of mutating policies make objects of types that have no schema here: `Object{…}`,
 * `Object.spec{…}` and `JSONPatch{…}`. They are rewritten to maps before they are compiled: the type's
 * name goes, and field names become texts.
 */
export function withoutObjectLiterals(expression: string): string {
  return new Rewriter(expression).run();
}

const token =
  /\s+|\/\/[^\n]*|[rR]?[bB]?[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?:Object(?:\.[A-Za-z_]\w*)*|JSONPatch)(?=\s*\{)|[A-Za-z_]\w*|[\s\S]/y;

class Rewriter {
  readonly #tokens: string[] = [];
  #next = 0;
  #result = '';

  constructor(expression: string) {
    token.lastIndex = 0;
    for (let found = token.exec(expression); found !== null; found = token.exec(expression)) {
      this.#tokens.push(found[0]);
    }
  }

  run(): string {
    /** What each open bracket is: a literal of an object, whose field names are next after `{` and `,`. */
    const open: boolean[] = [];
    let isAtField = false;
    while (this.#next < this.#tokens.length) {
      const text = this.#tokens[this.#next++] as string;
      if (/^\s/.test(text) || text.startsWith('//')) this.#result += text;
      else if (isTypeName(text) && this.#opensHere()) {
        // The name goes; the brace comes next.
        this.#skipTo('{');
        this.#result += '{';
        open.push(true);
        isAtField = true;
      } else if (isAtField && /^[A-Za-z_]/.test(text)) {
        this.#result += JSON.stringify(text);
        isAtField = false;
      } else {
        if ('([{'.includes(text)) open.push(false);
        else if (')]}'.includes(text)) open.pop();
        isAtField = text === ',' && open.at(-1) === true;
        this.#result += text;
      }
    }
    return this.#result;
  }

  #opensHere(): boolean {
    const rest = this.#tokens.slice(this.#next).find((each) => !/^\s/.test(each));
    return rest === '{';
  }

  #skipTo(text: string): void {
    while (this.#tokens[this.#next++] !== text);
  }
}

function isTypeName(text: string): boolean {
  return text === 'JSONPatch' || text === 'Object' || text.startsWith('Object.');
}
