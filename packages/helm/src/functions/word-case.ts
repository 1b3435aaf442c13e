import { type FunctionTable, fn, str } from '../go/define.ts';
import { isSpace, isUpper, lowerRune } from './runes.ts';

/** xstrings' snake and kebab case, which cut a text into words of letters, capitals and digits. */
export const wordCaseFunctions: FunctionTable = {
  snakecase: fn([str], (_, text) => joinWords(text, '_')),
  kebabcase: fn([str], (_, text) => joinWords(text, '-')),
};

type WordKind = 'invalid' | 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly runes: readonly string[];
}

const noWord: Word = { kind: 'invalid', runes: [] };

function isConnector(rune: string): boolean {
  return rune === '-' || rune === '_' || isSpace(rune);
}

const isPunctuation = (rune: string): boolean => /^\p{P}$/u.test(rune);
const isNumber = (rune: string): boolean => /^\p{N}$/u.test(rune);
/** xstrings' letters: those with case, and not ideographs. */
const isAlphabet = (rune: string): boolean =>
  /^\p{L}$/u.test(rune) && !/^[\u4e00-\u9fcc\u3400-\u4d85\u{20000}-\u{2b81d}]$/u.test(rune);

/** Takes one word after the other; `kind` and `runes` of nothing at the end. */
class WordReader {
  readonly #runes: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#runes = Array.from(text);
  }

  get isDone(): boolean {
    return this.#at >= this.#runes.length;
  }

  next(): Word {
    const first = this.#runes[this.#at];
    if (first === undefined) return noWord;
    const start = this.#at++;
    const kind = this.#rest(first);
    return { kind, runes: this.#runes.slice(start, this.#at) };
  }

  #rest(first: string): WordKind {
    if (/\p{Cs}/u.test(first)) return 'invalid';
    if (isConnector(first)) return this.#while(isConnector, 'connector');
    if (isPunctuation(first)) return this.#while(isPunctuation, 'punctuation');
    if (isUpper(first)) return this.#capitals();
    if (isAlphabet(first)) return this.#while(isSmall, 'alphabet');
    if (isNumber(first)) return this.#while(isNumber, 'number');
    return this.#while(isOther, 'other');
  }

  #while(belongs: (rune: string) => boolean, kind: WordKind): WordKind {
    while (!this.isDone && belongs(this.#runes[this.#at]!)) this.#at++;
    return kind;
  }

  /** `HTTPStatus` is `HTTP` and `Status`: the last capital before small letters begins a word. */
  #capitals(): WordKind {
    const second = this.#runes[this.#at];
    if (second === undefined) return 'upper';
    if (!isUpper(second)) {
      if (isAlphabet(second)) this.#while(isSmall, 'upper');
      return 'upper';
    }
    this.#while(isUpper, 'upper');
    if (!this.isDone && isAlphabet(this.#runes[this.#at]!)) this.#at--;
    return 'upper';
  }
}

function isSmall(rune: string): boolean {
  return isAlphabet(rune) && !isUpper(rune);
}

function isOther(rune: string): boolean {
  return !isConnector(rune) && !isAlphabet(rune) && !isNumber(rune) && !isPunctuation(rune);
}

function joinWords(text: string, connector: string): string {
  const reader = new WordReader(text);
  let out = '';
  let word = reader.next();
  const put = (one: Word): void => {
    out += lowered(one, connector);
  };
  const partsFrom = (kind: WordKind): boolean => kind !== 'connector' && kind !== 'punctuation';
  /** Letters and digits that go on after a number belong to it. */
  const putNumberTail = (): void => {
    while (word.kind === 'alphabet' || word.kind === 'number') {
      put(word);
      word = reader.next();
    }
    if (word.kind !== 'invalid' && partsFrom(word.kind)) out += connector;
  };
  while (!reader.isDone) {
    if (word.kind !== 'connector') put(word);
    const previous = word;
    word = reader.next();
    switch (previous.kind) {
      case 'number':
        putNumberTail();
        break;
      case 'connector':
        put(previous);
        break;
      case 'punctuation':
        break;
      default: {
        if (word.kind !== 'number') {
          if (partsFrom(word.kind)) out += connector;
          break;
        }
        if (reader.isDone) break;
        const number = word;
        word = reader.next();
        // A number belongs to the word before it, `Bld4Floor`, unless small letters follow, `HTTP2xx`.
        if (word.kind !== 'alphabet') {
          put(number);
          if (partsFrom(word.kind)) out += connector;
          break;
        }
        out += connector;
        put(number);
        putNumberTail();
      }
    }
  }
  put(word);
  return out;
}

function lowered({ kind, runes }: Word, connector: string): string {
  if (kind !== 'upper' && kind !== 'connector') return runes.join('');
  return runes
    .map((rune) => (isConnector(rune) ? connector : isUpper(rune) ? lowerRune(rune) : rune))
    .join('');
}
