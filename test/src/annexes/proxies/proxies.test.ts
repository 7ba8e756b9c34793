import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCallerAddressOf } from '../../../../src/annexes/proxies/proxies.ts';
import { peerAddressOf } from '../../../../src/serve/http/caller.ts';

const callers = suite('addresses of callers');

/** A peer, its `X-Forwarded-For`, and the address whose budget is charged; 10.0.0.0/8 and fd00::1 are proxies. */
const CALLERS: readonly (readonly [peer: string | undefined, chain: string | undefined, caller: string])[] = [
  ['203.0.113.7', undefined, '203.0.113.7'],
  ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['2001:db8:1:2::ffff', undefined, '2001:db8:1:2::/64'],
  ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
  ['::1', undefined, '0:0:0:0::/64'],
  ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', undefined, '64:ff9b:0:0::/64'],
  [undefined, undefined, ''],
  ['203.0.113.7', '192.0.2.1', '203.0.113.7'],
  ['10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['fd00::1', '2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['fd00::2', '192.0.2.1', 'fd00:0:0:0::/64'],
  ['10.0.0.1', '198.51.100.1, 192.0.2.1', '192.0.2.1'],
  ['10.0.0.1', '198.51.100.1, 192.0.2.1, 10.0.0.2, fd00::1', '192.0.2.1'],
  ['10.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
  ['10.0.0.1', '[2001:db8:1:2::1]:4711', '2001:db8:1:2::/64'],
  ['10.0.0.1', '::ffff:c000:201', '192.0.2.1'],
  ['10.0.0.1', '10.0.0.2', '10.0.0.1'],
  ['10.0.0.1', 'unknown', '10.0.0.1'],
  ['10.0.0.1', '192.0.2.1, unknown', '10.0.0.1'],
  ['10.0.0.1', '', '10.0.0.1'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['10.0.0.1', Array(33).fill('192.0.2.1').join(), '192.0.2.1'],
  ['10.0.0.1', `192.0.2.1, ${Array(40).fill('10.0.0.2').join()}`, '10.0.0.1'],
  ['10.0.0.1', `${'203.0.113.9,'.repeat(500)}192.0.2.1, 10.0.0.2`, '192.0.2.1'],
  ['10.0.0.1', 'x'.repeat(3_000), '10.0.0.1'],
];

const callerOf = createCallerAddressOf(['10.0.0.0/8', 'fd00::1']);
const socketFrom = (remoteAddress: string | undefined) =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

for (const [peer, chain, caller] of CALLERS) {
  callers(`K4: should take ${peer} that says ${chain?.slice(0, 60)} for ${caller}`, () => {
    const headers = chain === undefined ? {} : { 'x-forwarded-for': chain };
    const socket = socketFrom(peer);
    assert.is(callerOf({ socket, headers }), caller);
    if (chain === undefined) assert.is(peerAddressOf({ socket, headers }), caller, 'without proxies, too');
  });
}

callers.run();
