/** The data of the Secret that a source names, as text by key. */
export type SecretData = Readonly<Record<string, string>>;
