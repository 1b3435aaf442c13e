import type { Budget } from './budget.ts';
import { FormatFlags } from './format-flags.ts';
import { ValuePrinter } from './format-value.ts';
import { GoInt, type GoValue, typeOf } from './value.ts';

/** Go's `fmt.Sprint`: a space between two operands of which neither is a string. */
export function sprint(args: readonly GoValue[], budget: Budget): string {
  const only = args.length === 1 ? args[0] : undefined;
  if (typeof only === 'string') return only;
  const printer = new ValuePrinter(budget);
  let out = '';
  let wasString = false;
  args.forEach((arg, at) => {
    const isString = typeof arg === 'string';
    if (at > 0 && !isString && !wasString) out += ' ';
    out += printer.print(arg, 'v');
    wasString = isString;
  });
  return out;
}

/** Go's `fmt.Sprintln`. */
export function sprintln(args: readonly GoValue[], budget: Budget): string {
  const printer = new ValuePrinter(budget);
  return `${args.map((arg) => printer.print(arg, 'v')).join(' ')}\n`;
}

/** Go's `fmt.Sprintf`, with all verbs, flags, widths, precisions and argument numbers. */
export function sprintf(format: string, args: readonly GoValue[], budget: Budget): string {
  return new Formatting(format, args, budget).run();
}

const largest = 1_000_000;

class Formatting {
  readonly #format: string;
  readonly #args: readonly GoValue[];
  readonly #printer: ValuePrinter;
  readonly #budget: Budget;
  #at = 0;
  #arg = 0;
  #isReordered = false;
  #isGoodNumber = true;
  #out = '';

  constructor(format: string, args: readonly GoValue[], budget: Budget) {
    this.#format = format;
    this.#args = args;
    this.#budget = budget;
    this.#printer = new ValuePrinter(budget);
  }

  run(): string {
    const format = this.#format;
    while (this.#at < format.length) {
      const next = format.indexOf('%', this.#at);
      const end = next < 0 ? format.length : next;
      this.#out += format.slice(this.#at, end);
      this.#at = end;
      if (end >= format.length) break;
      this.#at++;
      this.#verb();
    }
    if (!this.#isReordered && this.#arg < this.#args.length) this.#extra();
    return this.#out;
  }

  #verb(): void {
    const flags = new FormatFlags();
    this.#printer.flags = flags;
    this.#isGoodNumber = true;
    this.#readFlags(flags);
    let isAfterIndex = this.#argNumber();
    if (this.#format[this.#at] === '*') {
      this.#at++;
      this.#starWidth(flags);
      isAfterIndex = false;
    } else {
      const width = this.#number();
      if (width !== undefined) {
        flags.width = width;
        flags.hasWidth = true;
        if (isAfterIndex) this.#isGoodNumber = false;
      }
    }
    if (this.#at + 1 < this.#format.length && this.#format[this.#at] === '.') {
      this.#at++;
      if (isAfterIndex) this.#isGoodNumber = false;
      isAfterIndex = this.#argNumber();
      isAfterIndex = this.#precision(flags) ? false : isAfterIndex;
    }
    if (!isAfterIndex) this.#argNumber();
    // What padding asks for is paid before it is made.
    this.#budget.make(flags.width + flags.precision);
    if (this.#at >= this.#format.length) {
      this.#out += '%!(NOVERB)';
      return;
    }
    const verb = String.fromCodePoint(this.#format.codePointAt(this.#at)!);
    this.#at += verb.length;
    if (verb === '%') this.#out += '%';
    else if (!this.#isGoodNumber) this.#out += `%!${verb}(BADINDEX)`;
    else if (this.#arg >= this.#args.length) this.#out += `%!${verb}(MISSING)`;
    else this.#print(flags, verb);
  }

  #print(flags: FormatFlags, verb: string): void {
    if (verb === 'v' || verb === 'w') {
      flags.sharpV = flags.sharp;
      flags.sharp = false;
      flags.plusV = flags.plus;
      flags.plus = false;
    }
    this.#out += this.#printer.print(this.#args[this.#arg++]!, verb);
  }

  #readFlags(flags: FormatFlags): void {
    for (; ; this.#at++) {
      switch (this.#format[this.#at]) {
        case '#':
          flags.sharp = true;
          break;
        case '0':
          flags.zero = true;
          break;
        case '+':
          flags.plus = true;
          break;
        case '-':
          flags.minus = true;
          break;
        case ' ':
          flags.space = true;
          break;
        default:
          return;
      }
    }
  }

  #starWidth(flags: FormatFlags): void {
    const width = this.#intArgument();
    if (width === undefined) {
      this.#out += '%!(BADWIDTH)';
      return;
    }
    flags.hasWidth = true;
    flags.width = Math.abs(width);
    if (width < 0) {
      flags.minus = true;
      flags.zero = false;
    }
  }

  /** True where a star gave the precision. */
  #precision(flags: FormatFlags): boolean {
    if (this.#format[this.#at] !== '*') {
      flags.precision = this.#number() ?? 0;
      flags.hasPrecision = true;
      return false;
    }
    this.#at++;
    const precision = this.#intArgument();
    if (precision === undefined || precision < 0) this.#out += '%!(BADPREC)';
    else {
      flags.precision = precision;
      flags.hasPrecision = true;
    }
    return true;
  }

  #intArgument(): number | undefined {
    const value = this.#args[this.#arg];
    if (this.#arg < this.#args.length) this.#arg++;
    if (!(value instanceof GoInt)) return undefined;
    const number = Number(value.value);
    return Math.abs(number) > largest ? undefined : number;
  }

  #number(): number | undefined {
    const digits = /^\d+/.exec(this.#format.slice(this.#at, this.#at + 20))?.[0];
    if (digits === undefined) return undefined;
    // Of a number that is too large Go throws away the rest of the format too.
    if (digits.length > 1 && Number(digits.slice(0, -1)) > largest) {
      this.#at = this.#format.length;
      return undefined;
    }
    this.#at += digits.length;
    return Number(digits);
  }

  /** Reads `[n]`; true where there was a good one. */
  #argNumber(): boolean {
    if (this.#format[this.#at] !== '[') return false;
    this.#isReordered = true;
    const close = this.#format.indexOf(']', this.#at);
    if (close < 0 || this.#format.length - this.#at < 3) {
      this.#isGoodNumber = false;
      this.#at++;
      return false;
    }
    const text = this.#format.slice(this.#at + 1, close);
    this.#at = close + 1;
    const index = /^\d{1,7}$/.test(text) ? Number(text) - 1 : Number.NaN;
    if (index >= 0 && index < this.#args.length) {
      this.#arg = index;
      return true;
    }
    this.#isGoodNumber = false;
    return !Number.isNaN(index);
  }

  #extra(): void {
    this.#printer.flags = new FormatFlags();
    const texts = this.#args
      .slice(this.#arg)
      .map((arg) =>
        arg === null ? '<nil>' : `${typeOf(arg).name}=${this.#printer.print(arg, 'v')}`,
      );
    this.#out += `%!(EXTRA ${texts.join(', ')})`;
  }
}
