/** K4: the address of a caller, by the connection and by X-Forwarded-For of trusted proxies. */
import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCallerAddressOf } from '../../../../src/annexes/proxies/proxies.ts';
import { peerAddressOf } from '../../../../src/serve/http/caller.ts';

const callers = suite('addresses of callers');

interface CallerCase {
  readonly peer: string | undefined;
  readonly chain: string | undefined;
  readonly caller: string;
}

/** A peer, its `X-Forwarded-For`, and the address whose budget is charged; 10.0.0.0/8 and fd00::1 are proxies. */
const CALLERS: readonly CallerCase[] = [
  { peer: '203.0.113.7', chain: undefined, caller: '203.0.113.7' },
  { peer: '::ffff:203.0.113.7', chain: undefined, caller: '203.0.113.7' },
  { peer: '2001:db8:1:2:3:4:5:6', chain: undefined, caller: '2001:db8:1:2::/64' },
  { peer: '2001:db8:1:2::ffff', chain: undefined, caller: '2001:db8:1:2::/64' },
  { peer: '2001:db8::1', chain: undefined, caller: '2001:db8:0:0::/64' },
  { peer: '::1', chain: undefined, caller: '0:0:0:0::/64' },
  { peer: 'fe80::1%eth0', chain: undefined, caller: 'fe80:0:0:0::/64' },
  { peer: '64:ff9b::203.0.113.7', chain: undefined, caller: '64:ff9b:0:0::/64' },
  { peer: undefined, chain: undefined, caller: '' },
  { peer: '203.0.113.7', chain: '192.0.2.1', caller: '203.0.113.7' },
  { peer: '10.0.0.1', chain: '192.0.2.1', caller: '192.0.2.1' },
  { peer: '::ffff:10.0.0.1', chain: '192.0.2.1', caller: '192.0.2.1' },
  { peer: 'fd00::1', chain: '2001:DB8:1:2::1', caller: '2001:db8:1:2::/64' },
  { peer: 'fd00::2', chain: '192.0.2.1', caller: 'fd00:0:0:0::/64' },
  { peer: '10.0.0.1', chain: '198.51.100.1, 192.0.2.1', caller: '192.0.2.1' },
  {
    peer: '10.0.0.1',
    chain: '198.51.100.1, 192.0.2.1, 10.0.0.2, fd00::1',
    caller: '192.0.2.1',
  },
  { peer: '10.0.0.1', chain: '192.0.2.1:4711', caller: '192.0.2.1' },
  { peer: '10.0.0.1', chain: '[2001:db8:1:2::1]:4711', caller: '2001:db8:1:2::/64' },
  { peer: '10.0.0.1', chain: '::ffff:c000:201', caller: '192.0.2.1' },
  { peer: '10.0.0.1', chain: '10.0.0.2', caller: '10.0.0.1' },
  { peer: '10.0.0.1', chain: 'unknown', caller: '10.0.0.1' },
  { peer: '10.0.0.1', chain: '192.0.2.1, unknown', caller: '10.0.0.1' },
  { peer: '10.0.0.1', chain: '', caller: '10.0.0.1' },
  { peer: '10.0.0.1', chain: undefined, caller: '10.0.0.1' },
  { peer: '10.0.0.1', chain: Array(33).fill('192.0.2.1').join(), caller: '192.0.2.1' },
  {
    peer: '10.0.0.1',
    chain: `192.0.2.1, ${Array(40).fill('10.0.0.2').join()}`,
    caller: '10.0.0.1',
  },
  {
    peer: '10.0.0.1',
    chain: `${'203.0.113.9,'.repeat(500)}192.0.2.1, 10.0.0.2`,
    caller: '192.0.2.1',
  },
  { peer: '10.0.0.1', chain: 'x'.repeat(3_000), caller: '10.0.0.1' },
];

const callerOf = createCallerAddressOf(['10.0.0.0/8', 'fd00::1']);
const socketFrom = (remoteAddress: string | undefined) =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

for (const { peer, chain, caller } of CALLERS) {
  callers(`K4: should take ${peer} that says ${chain?.slice(0, 60)} for ${caller}`, () => {
    const headers = chain === undefined ? {} : { 'x-forwarded-for': chain };
    const socket = socketFrom(peer);
    assert.is(callerOf({ socket, headers }), caller);
    if (chain === undefined) assert.is(peerAddressOf({ socket, headers }), caller, 'without proxies, too');
  });
}

callers.run();
