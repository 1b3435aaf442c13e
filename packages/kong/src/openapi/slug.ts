/** How names of entities are made of the names in a document. */
export interface NameStyle {
  /** What stands between the words of one name. */
  readonly separator: '-' | '_';
  /** What stands between the parts of a name: document, path, operation. */
  readonly joint: '-' | '_';
  readonly isLowerCase: boolean;
  /** Characters that stay as they are, beside the separator. */
  readonly kept: RegExp;
}

/** As decK names entities. */
export const deckNames: NameStyle = {
  separator: '-',
  joint: '_',
  isLowerCase: true,
  kept: /[a-zA-Z0-9-]/,
};

/** As Inso names them. */
export const insoNames: NameStyle = {
  separator: '_',
  joint: '-',
  isLowerCase: false,
  kept: /[a-zA-Z0-9_-]/,
};

/** Letters that are no Latin letter with a mark, as they are spelt in ASCII. */
const spellings: Readonly<Record<string, string>> = {
  ...{
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    ł: 'l',
    þ: 'th',
    ı: 'i',
    ħ: 'h',
    ŋ: 'ng',
  },
  ...{ α: 'a', β: 'b', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'e', θ: 'th', ι: 'i', κ: 'k', λ: 'l' },
  ...{ μ: 'm', ν: 'n', ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'u', φ: 'ph' },
  ...{ χ: 'kh', ψ: 'ps', ω: 'o' },
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', к: 'k', л: 'l' },
  ...{ м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts' },
  ...{
    ч: 'ch',
    ш: 'sh',
    щ: 'shch',
    ъ: '',
    ы: 'y',
    ь: '',
    э: 'e',
    ю: 'iu',
    я: 'ia',
    і: 'i',
    є: 'ie',
  },
};

function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

/** One letter in ASCII. What no table knows is told by its number, so that names stay apart. */
function spell(letter: string): string {
  if (isAscii(letter)) return letter;
  const plain = letter.normalize('NFKD').replace(/\p{M}/gu, '');
  if (isAscii(plain)) return plain;
  const spelt = spellings[plain.toLowerCase()];
  if (spelt !== undefined) {
    return plain === plain.toLowerCase() ? spelt : spelt.charAt(0).toUpperCase() + spelt.slice(1);
  }
  return /[\p{L}\p{N}]/u.test(plain) ? ` u${plain.codePointAt(0)?.toString(16)} ` : ' ';
}

/** A text as a name: letters and digits of ASCII, words apart by one separator. */
export function slug(text: string, style: NameStyle): string {
  const { separator } = style;
  const ascii = Array.from(text.normalize('NFC'), spell).join('');
  const words = Array.from(ascii, (letter) => (style.kept.test(letter) ? letter : separator))
    .join('')
    .split(separator)
    .filter((word) => word !== '')
    .join(separator);
  return style.isLowerCase ? words.toLowerCase() : words;
}

/** The name of a path parameter as the name of a group of a regular expression. */
export function captureName(parameter: string, style: NameStyle): string {
  return slug(parameter, {
    ...style,
    separator: '_',
    kept: /[a-zA-Z0-9_]/,
  });
}
