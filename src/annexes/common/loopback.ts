/** Hosts that only this machine can reach. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/** `host`: a name or an address, without brackets. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
