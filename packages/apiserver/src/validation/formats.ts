import { isIP } from 'node:net';

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
  hostname: (text) =>
    text.length <= 253 &&
    text.split('.').every((part) => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(part)),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  cidr: (text) => {
    const [address = '', bits = ''] = text.split('/');
    const family = isIP(address);
    return family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  },
  uri: (text) => URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0,
  duration: (text) => /^-?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$|^0$/.test(text),
};

/** Whether a text has a format; formats that the API does not know let everything pass. */
export function isFormat(text: string, format: string): boolean {
  return checks[format]?.(text) ?? true;
}

const otherFormats = [
  'bsonobjectid',
  'uri-reference',
  'mac',
  'isbn',
  'isbn10',
  'isbn13',
  'creditcard',
  'ssn',
  'hexcolor',
  'rgbcolor',
  'password',
  'datetime',
  'uuid3',
  'uuid4',
  'uuid5',
  'int-or-string',
  'quantity',
  'k8s-short-name',
  'k8s-long-name',
];

/** Whether the API knows the format of a text at all. */
export function hasFormat(format: string): boolean {
  return Object.hasOwn(checks, format) || otherFormats.includes(format);
}
