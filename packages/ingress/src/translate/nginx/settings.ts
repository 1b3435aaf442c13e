import type { ConfigMap } from '../../objects/secret.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { type Risk, risks } from './annotation-table.ts';
import { isSettingValue } from './setting-checks.ts';
import { type SettingRow, settingsTable } from './settings-table.ts';

const byKey = new Map(settingsTable.map((row) => [row.key, row]));

/** The settings of the controller's ConfigMap; what is absent or cannot be read is the default. */
export class NginxSettings {
  readonly #data: Readonly<Record<string, string>>;

  constructor(data: Readonly<Record<string, string>> = {}) {
    this.#data = data;
  }

  /** The keys that are set. */
  keys(): string[] {
    return Object.keys(this.#data);
  }

  text(key: string): string {
    return this.#value(rowOf(key)).trim();
  }

  bool(key: string): boolean {
    return ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(this.text(key));
  }

  int(key: string): number {
    return Number(this.text(key));
  }

  list(key: string): string[] {
    return this.entries(key).filter((one) => isSettingValue(key, one));
  }

  /** The entries of a list as they stand there, for settings where a wrong one must not be overlooked. */
  entries(key: string): string[] {
    return this.#value(rowOf(key))
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  }

  /** The highest risk that an annotation may have. */
  get risk(): Risk {
    const wanted = this.text('annotations-risk-level').toLowerCase();
    return risks.find((risk) => risk.toLowerCase() === wanted) ?? 'High';
  }

  #value({ key, kind, fallback }: SettingRow): string {
    if (!Object.hasOwn(this.#data, key)) return fallback;
    const value = String(this.#data[key]);
    if (kind === 'int' && !/^\s*[+-]?\d{1,15}\s*$/.test(value)) return fallback;
    if (kind === 'text' && !isSettingValue(key, value.trim())) return fallback;
    if (kind === 'bool' && !/^\s*(1|0|t|f|true|false)\s*$/i.test(value)) return fallback;
    return value;
  }
}

function rowOf(key: string): SettingRow {
  const row = byKey.get(key);
  if (row === undefined) throw new Error(`there is no setting ${key}`);
  return row;
}

/** The settings as the cluster has them. */
export function readSettings(reader: ObjectReader, name: string | undefined): NginxSettings {
  const [namespace = '', key = ''] = (name ?? '').split('/');
  if (key === '') return new NginxSettings();
  return new NginxSettings(reader.get<ConfigMap>('ConfigMap', namespace, key)?.data ?? {});
}

/** A size as nginx writes it, in bytes; undefined when it cannot be read. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15})([kmg]?)$/i.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const factors: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };
  return Number(digits) * (factors[unit.toLowerCase()] ?? 1);
}
