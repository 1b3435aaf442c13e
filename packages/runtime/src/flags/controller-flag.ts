/** A flag of a controller, as data: the program makes its command line from tables of them. */
export interface ControllerFlag {
  readonly name: string;
  readonly type: 'boolean' | 'duration' | 'integer' | 'list' | 'number' | 'string';
  readonly default: boolean | number | string;
  readonly summary: string;
  /** An older name for another flag: taken, with a word on the new one. */
  readonly replacedBy?: string;
  /** Taken so that command lines keep working, but without effect; says why. */
  readonly withoutEffect?: string;
  /** A variable of the environment that says the same; the command line wins over it. */
  readonly variable?: string;
}

/** Flags or variables as texts, by name. */
export type FlagValues = Readonly<Record<string, string | undefined>>;
