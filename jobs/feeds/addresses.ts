/** Which addresses belong to the public internet. A feed's URL must not reach into the network that the builder stands in. */
import { BlockList, isIP } from 'node:net';

/** Whether an IPv4 or IPv6 address, as text, is a public one. Text that is no address is not. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  switch (isIP(plain)) {
    case 4:
      return !SPECIAL.check(plain, 'ipv4');
    case 6:
      return isPublicIpv6(plain);
    default:
      return false;
  }
}

/** Of IPv6 only what is given out worldwide counts, and IPv4 addresses in their IPv6 forms count as what they are. */
function isPublicIpv6(address: string): boolean {
  const words = wordsOf(address);
  const embedded = EMBEDDING.some((prefix) => prefix.every((word, place) => word === words[place]));
  if (embedded) return isPublicAddress(`${ipv4Half(words[6] ?? 0)}.${ipv4Half(words[7] ?? 0)}`);
  return WORLDWIDE.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
}

/** IPv4-mapped addresses, and those that a NAT64 gateway translates. */
const EMBEDDING: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0x64, 0xff9b, 0, 0, 0, 0],
];

function ipv4Half(word: number): string {
  return `${word >> 8}.${word & 0xff}`;
}

/** The eight words of an address; its last 32 bits may be written as IPv4. */
function wordsOf(address: string): readonly number[] {
  const text = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: readonly string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = text.split('::');
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  if (tail === undefined) return words(head);
  const zeros = Math.max(0, 8 - words(head).length - words(tail).length);
  return [...words(head), ...new Array<number>(zeros).fill(0), ...words(tail)];
}

const WORLDWIDE = new BlockList();
WORLDWIDE.addSubnet('2000::', 3, 'ipv6');

/** The special-purpose registries of IANA (RFC 6890): private, shared, loopback, link-local, documentation, multicast … */
const SPECIAL = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  SPECIAL.addSubnet(net, prefix, 'ipv4');
}
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL.addSubnet(net, prefix, 'ipv6');
}
