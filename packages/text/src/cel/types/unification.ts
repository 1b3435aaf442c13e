import {
  type CelType,
  dynType,
  isDynamic,
  isSameType,
  mapParams,
  nameOfType,
  paramsOf,
} from './type.ts';

/** What the type parameters of an expression stand for, as far as is known. */
export class Substitutions {
  readonly #bound = new Map<string, CelType>();
  /** What each binding replaced, in order, so that a failed attempt can be undone. */
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];

  /** Tries something; what it binds stays only when it says yes. */
  attempt(action: () => boolean): boolean {
    const mark = this.#trail.length;
    if (action()) return true;
    for (const { name, before } of this.#trail.splice(mark).reverse()) {
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
    return false;
  }

  find(type: CelType): CelType | undefined {
    return type.kind === 'param' ? this.#bound.get(type.name) : undefined;
  }

  bind(param: CelType, type: CelType): void {
    const name = nameOfType(param);
    this.#trail.push({ name, before: this.#bound.get(name) });
    this.#bound.set(name, type);
  }

  /** The type with all that is known put in; the rest as dyn when asked for. */
  apply(type: CelType, isUnboundDynamic = false): CelType {
    const bound = this.find(type);
    if (bound !== undefined) return this.apply(bound, isUnboundDynamic);
    if (type.kind === 'param') return isUnboundDynamic ? dynType : type;
    return paramsOf(type).length === 0
      ? type
      : mapParams(type, (part) => this.apply(part, isUnboundDynamic));
  }

  isAssignable(one: CelType, other: CelType): boolean {
    return this.attempt(() => this.#assign(one, other));
  }

  areAssignable(types: readonly CelType[], others: readonly CelType[]): boolean {
    return this.attempt(() => this.#assignAll(types, others));
  }

  #assignAll(types: readonly CelType[], others: readonly CelType[]): boolean {
    return (
      types.length === others.length &&
      types.every((type, index) => this.#assign(type, others[index] as CelType))
    );
  }

  #assign(one: CelType, other: CelType): boolean {
    if (other.kind === 'param') {
      const { isValid, wasBound } = this.#substitute(one, other);
      if (isValid) return true;
      if (wasBound) return false;
    }
    if (one.kind === 'param') return this.#substitute(other, one).isValid;
    if (isDynamic(one) || isDynamic(other)) return true;
    if (one.kind === 'null') return isNullable(other);
    if (other.kind === 'null') return isNullable(one);
    switch (one.kind) {
      case 'type':
        return other.kind === 'type';
      case 'opaque':
      case 'list':
      case 'map':
        return (
          one.kind === other.kind &&
          nameOfType(one) === nameOfType(other) &&
          this.#assignAll(paramsOf(one), paramsOf(other))
        );
      default:
        return isSameType(one, other);
    }
  }

  /** Whether a parameter can stand for a type; it does from then on. */
  #substitute(type: CelType, param: CelType): { isValid: boolean; wasBound: boolean } {
    if (isSameType(type, param)) return { isValid: true, wasBound: true };
    const bound = this.find(param);
    if (bound !== undefined) {
      if (isSameType(type, bound)) return { isValid: true, wasBound: true };
      if (!this.#assign(type, bound)) return { isValid: false, wasBound: true };
      const general = mostGeneral(type, bound);
      if (!this.#occursIn(param, general)) this.bind(param, general);
      return { isValid: true, wasBound: true };
    }
    if (this.#occursIn(param, type)) return { isValid: false, wasBound: false };
    this.bind(param, type);
    return { isValid: true, wasBound: false };
  }

  #occursIn(param: CelType, within: CelType): boolean {
    if (isSameType(param, within)) return true;
    if (within.kind === 'param') {
      const bound = this.find(within);
      return bound !== undefined && this.#occursIn(param, bound);
    }
    return paramsOf(within).some((part) => this.#occursIn(param, part));
  }
}

function isNullable(type: CelType): boolean {
  return ['null', 'opaque', 'struct', 'duration', 'timestamp'].includes(type.kind);
}

/** Of two types that fit each other the one that says less. */
export function mostGeneral(one: CelType, other: CelType): CelType {
  return isEqualOrLessSpecific(one, other) ? one : other;
}

function isEqualOrLessSpecific(one: CelType, other: CelType): boolean {
  if (one.kind === 'dyn' || one.kind === 'param') return true;
  if (other.kind === 'dyn' || other.kind === 'param') return false;
  if (one.kind !== other.kind) return false;
  switch (one.kind) {
    case 'type':
      return true;
    case 'opaque':
    case 'list':
    case 'map': {
      const [params, others] = [paramsOf(one), paramsOf(other)];
      return (
        nameOfType(one) === nameOfType(other) &&
        params.length === others.length &&
        params.every((param, index) => isEqualOrLessSpecific(param, others[index] as CelType))
      );
    }
    default:
      return isSameType(one, other);
  }
}
