/** An address as mail has it: roughly, as every check of it is. */
export function isEmail(text: string): boolean {
  return /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$/.test(text);
}

/** A whole address with its scheme. */
export function isRequestUrl(text: string): boolean {
  if (/\s/.test(text)) return false;
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:./.test(text) && URL.canParse(text);
}

/** An address of the web, with or without its scheme. */
export function isUrl(text: string): boolean {
  if (text.length < 3 || text.length > 2083 || text.startsWith('.') || /\s/.test(text))
    return false;
  const whole = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(text) ? text : `http://${text}`;
  if (!/^(https?|ftp|tcp|udp|wss?|ssh|git):\/\//.test(whole) || !URL.canParse(whole)) return false;
  const { hostname } = new URL(whole);
  return hostname === 'localhost' || /\./.test(hostname) || hostname.startsWith('[');
}
