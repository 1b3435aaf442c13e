/**
 * Why Go does not take a text with a colon in it for an IP address, in the words of Go; undefined when it does. A zone
 * may follow the address.
 */
export function addressProblem(text: string): string | undefined {
  try {
    const first = /[.:%]/.exec(text)?.[0];
    if (first === '%') throw new AddressProblem('missing IPv6 address');
    if (first === '.') readIpv4(text);
    else readIpv6(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    const place = error.at === undefined ? '' : ` (at ${JSON.stringify(error.at)})`;
    return `ParseAddr(${JSON.stringify(text)}): ${error.message}${place}`;
  }
}

class AddressProblem extends Error {
  /** The text from where it is wrong. */
  readonly at: string | undefined;

  constructor(message: string, at?: string) {
    super(message);
    this.at = at;
  }
}

function readIpv6(text: string): void {
  const percent = text.indexOf('%');
  if (percent === text.length - 1) throw new AddressProblem('zone must be a non-empty string');
  let rest = percent < 0 ? text : text.slice(0, percent);
  let hasGap = rest.startsWith('::');
  if (hasGap) rest = rest.slice(2);
  if (hasGap && rest === '') return;
  let fields = 0;
  while (fields < 8) {
    const digits = digitsAtStart(rest);
    if (rest[digits] === '.') {
      checkEmbedded(rest, fields, hasGap);
      fields += 2;
      rest = '';
      break;
    }
    fields += 1;
    rest = rest.slice(digits);
    if (rest === '') break;
    if (rest[0] !== ':') throw new AddressProblem('unexpected character, want colon', rest);
    if (rest === ':') throw new AddressProblem('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] !== ':') continue;
    if (hasGap) throw new AddressProblem('multiple :: in address', rest);
    hasGap = true;
    rest = rest.slice(1);
    if (rest === '') break;
  }
  if (rest !== '') throw new AddressProblem('trailing garbage after address', rest);
  if (fields < 8 && !hasGap) throw new AddressProblem('address string too short');
  if (fields === 8 && hasGap) {
    throw new AddressProblem('the :: must expand to at least one field of zeros');
  }
}

function digitsAtStart(rest: string): number {
  const digits = /^[0-9a-fA-F]*/.exec(rest)![0].length;
  if (digits > 4) throw new AddressProblem('each group must have 4 or less digits', rest);
  if (digits > 0) return digits;
  throw new AddressProblem('each colon-separated field must have at least one digit', rest);
}

/** An address of the older kind stands for the last two fields. */
function checkEmbedded(rest: string, fields: number, hasGap: boolean): void {
  if (!hasGap && fields !== 6) {
    const why = 'embedded IPv4 address must replace the final 2 fields of the address';
    throw new AddressProblem(why, rest);
  }
  if (fields > 6) {
    const why = 'too many hex fields to fit an embedded IPv4 at the end of the address';
    throw new AddressProblem(why, rest);
  }
  readIpv4(rest);
}

function readIpv4(text: string): void {
  let field = '';
  let dots = 0;
  for (const [index, one] of [...text].entries()) {
    if (/\d/.test(one)) {
      if (field === '0') throw new AddressProblem('IPv4 field has octet with leading zero');
      field += one;
      if (Number(field) > 255) throw new AddressProblem('IPv4 field has value >255');
    } else if (one === '.') {
      if (field === '' || index === text.length - 1) {
        throw new AddressProblem('IPv4 field must have at least one digit', text.slice(index));
      }
      if (dots === 3) throw new AddressProblem('IPv4 address too long');
      dots += 1;
      field = '';
    } else throw new AddressProblem('unexpected character', text.slice(index));
  }
  if (dots < 3) throw new AddressProblem('IPv4 address too short');
}
