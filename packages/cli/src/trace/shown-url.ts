/** An address without what may be a secret: a user and password; the user of SSH is none. */
export function shownUrl(url: string): string {
  return /^ssh:\/\/[^/@:]*@/.test(url) ? url : url.replace(/\/\/[^/@]*@/, '//***@');
}
