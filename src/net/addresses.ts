import { BlockList, isIP } from 'node:net';

/** `forbidden`: nothing a test may reach lives there (cloud metadata, link-local, multicast, reserved).
 *  `private`: this machine and private networks, which an installation allows or not. */
export type AddressKind = 'public' | 'private' | 'forbidden';

const forbiddenV4 = [
  '0.0.0.0/8', // "this host": reaches loopback on most systems
  '169.254.0.0/16', // link-local, cloud metadata
  '168.63.129.16/32', // Azure's host agent
  '100.100.100.200/32', // Alibaba's metadata, inside a private range
  '192.0.0.0/24', // protocol assignments, among them Oracle's metadata
  '192.0.2.0/24', // documentation
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];
const privateV4 = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10', // carrier NAT, VPN overlays
  '198.18.0.0/15', // benchmarking
];
const forbiddenV6 = [
  '::/128',
  'fe80::/10', // link-local
  'ff00::/8', // multicast
  'fd00:ec2::/32', // AWS metadata
  'fd20:ce::/32', // Google metadata
  '2001::/32', // Teredo: hides the address it reaches
  '2001:db8::/32', // documentation
  '3fff::/20',
  '64:ff9b:1::/48', // local NAT64: the place of the embedded address is not known
];
const privateV6 = ['::1/128', 'fc00::/7', 'fec0::/10'];
/** Everything else in IPv6 is unassigned. The second and third embed an IPv4 address in their last 32 bits; Node itself
 *  checks the mapped ones (the first) against the rules for IPv4. */
const publicV6 = ['2000::/3', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'];

const forbidden = blockList(forbiddenV4, forbiddenV6);
const privateRanges = blockList(privateV4, privateV6);
const assigned = blockList([], publicV6);

/** What an IP address (in any textual form that Node accepts) is, by the address that a connection really reaches. */
export function addressKind(address: string): AddressKind {
  const [bare = ''] = address.split('%');
  const version = isIP(bare);
  if (version === 0) return 'forbidden';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (forbidden.check(bare, family)) return 'forbidden';
  if (privateRanges.check(bare, family)) return 'private';
  return version === 4 || assigned.check(bare, family) ? 'public' : 'forbidden';
}

function blockList(v4: string[], v6: string[]): BlockList {
  const list = new BlockList();
  for (const range of v4) {
    const [network = '', bits] = range.split('/');
    const length = Number(bits);
    list.addSubnet(network, length, 'ipv4');
    list.addSubnet(`::ffff:0:${network}`, 96 + length, 'ipv6');
    list.addSubnet(`64:ff9b::${network}`, 96 + length, 'ipv6');
    list.addSubnet(sixToFour(network), 16 + length, 'ipv6');
  }
  for (const range of v6) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), 'ipv6');
  }
  return list;
}

/** 6to4 (2002::/16) holds the IPv4 address it reaches right behind the prefix. */
function sixToFour(network: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  return `2002:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}::`;
}
