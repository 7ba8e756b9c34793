/** docs/kubernetes-switch.sh, with a program in place of the cluster. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { builder, objectNamed, smallBuilder } from '../helpers/kubernetes.ts';
import { isExpected, when } from '../helpers/when.ts';

const test = suite('kubernetes-switch.sh');

const SCRIPT = readFileSync(packagePath('docs/kubernetes-switch.sh'), 'utf8');

/**
 * What a cluster answers. The log has the commands that change something; a job is the options of its build, and the patch that makes it is kept.
 * A command fails if `FAILS` matches it; a job then ends with `STATE`.
 */
const CLUSTER = `if [ "$1" = patch ]; then
  cat > unpatched.json
  shift 6
  echo "$2" > patch.yaml
  exit
fi
[ "$1 $2" = '--namespace almanakk' ] || exit 1
shift 2
case "$*" in
  'get deploy/builder --output jsonpath={.spec.template.spec}') echo '{"containers":[]}' && exit ;;
  'get deploy/builder --output jsonpath={.spec.template.spec.containers[?(@.name=="builder")].image}') echo one && exit ;;
  'get deploy/replica --ignore-not-found --output jsonpath={.spec.template.spec.containers[?(@.name=="replica")].image}')
    [ "$REPLICA" != unknown ] || exit 1
    printf "$REPLICA"
    exit
    ;;
  'get job,pod --selector app.kubernetes.io/component=switch --output '*) ;;
  'logs job/switch --container builder') echo "report of $(cat job)" && exit ;;
  'create --filename -')
    cat > made.json
    sed -n 's/.*, rebuild, \\(.*\\)]$/job \\1/p' patch.yaml > job
    mv made.json "$(sed 's/job --//; s/,.*//' job).json"
    rm -f polled
    cat job >> log
    exit
    ;;
  'delete job/switch --cascade=foreground' | 'delete job/switch --cascade=foreground --ignore-not-found') rm -f job pod && exit ;;
  # The cluster deletes the pod later.
  'delete job/switch' | 'delete job/switch --ignore-not-found') rm -f job && exit ;;
  'describe pod --selector app.kubernetes.io/component=switch') exit ;;
  'set image '* | 'rollout status '*) echo "$*" | sed 's/ --timeout.*//' >> log ;;
  *) exit 1 ;;
esac
if [ "$1" = get ]; then
  set -- "$(cat job)"
  [ -e polled ] || { touch polled; [ ! -e pod ] || cat pod; echo 'PodScheduled ContainerCreating'; exit; }
  case "$*" in $FAILS) echo "$STATE" | tee pod ;; *) [ ! -e pod ] || cat pod; echo 'PodScheduled SuccessCriteriaMet Complete ' ;; esac
  exit
fi
case "$(tail -n 2 log | tr '\\n' ' ')" in $FAILS) exit 1 ;; esac`;

const TRIAL = 'job --trial, /trial';
const BUILD = 'job --wait, "60"';
const run = (name: string, image: string) => [
  `set image deploy/${name} ${name}=${image}`,
  `rollout status deploy/${name}`,
];
const RETURNED = [
  'set image deploy/builder builder=one',
  'set image deploy/replica replica=zero',
  'rollout status deploy/builder',
  'rollout status deploy/replica',
];

interface Switch {
  readonly what: string;
  readonly fails?: string;
  /** The conditions and the reason of the job that fails. */
  readonly state?: string;
  /** The image of the replicas; empty without any, and unknown if the cluster does not say it. */
  readonly replica?: string;
  readonly args?: readonly string[];
  readonly ordered: readonly string[];
  readonly said: RegExp;
}

const SWITCHES: readonly Switch[] = [
  { what: 'a trial only', args: ['--trial-only', 'two'], ordered: [TRIAL], said: /^$/ },
  { what: 'one pod', replica: '', ordered: [TRIAL, BUILD, ...run('builder', 'two')], said: /^$/ },
  {
    what: 'replicas too',
    ordered: [TRIAL, BUILD, ...run('builder', 'two'), ...run('replica', 'two')],
    said: /^$/,
  },
  {
    what: 'a source that the new image refuses',
    fails: 'job --trial*',
    ordered: [TRIAL],
    said: /^kubernetes-switch\.sh: the new image could not build the calendar\. Nothing has been changed, see above\n$/,
  },
  {
    what: 'an image that does not exist',
    fails: 'job --trial*',
    state: 'PodScheduled ErrImagePull',
    ordered: [TRIAL],
    said: /^kubernetes-switch\.sh: the new image could not build the calendar\. Nothing has been changed, see above\n$/,
  },
  {
    what: 'a pod for which no node has room',
    fails: 'job --trial*',
    state: 'PodScheduled Unschedulable',
    ordered: [TRIAL],
    said: /^kubernetes-switch\.sh: the new image could not build the calendar\. Nothing has been changed, see above\n$/,
  },
  {
    what: 'a build that is refused',
    fails: 'job --wait*',
    ordered: [TRIAL, BUILD],
    said: /^kubernetes-switch\.sh: the build was refused\. The pods have not been changed, see above\n$/,
  },
  {
    what: 'a builder that does not become ready',
    fails: '*builder=two rollout*',
    ordered: [TRIAL, BUILD, ...run('builder', 'two'), ...run('builder', 'one')],
    said: /: the builder did not become ready within five minutes, see above\nkubernetes-switch\.sh: returning to one\n$/,
  },
  {
    what: 'replicas that do not become ready',
    fails: '*replica=two rollout*',
    ordered: [TRIAL, BUILD, ...run('builder', 'two'), ...run('replica', 'two'), ...RETURNED],
    said: /: the replicas did not become ready within half an hour, see above\nkubernetes-switch\.sh: returning to one\nkubernetes-switch\.sh: returning to zero\n$/,
  },
  {
    what: 'a cluster that does not say whether it has replicas',
    replica: 'unknown',
    ordered: [],
    said: /^kubernetes-switch\.sh: the new image could not build the calendar\. Nothing has been changed, see above\n$/,
  },
  {
    what: 'a builder that is not ready with either image',
    fails: '*builder=* rollout*',
    ordered: [TRIAL, BUILD, ...run('builder', 'two'), ...run('builder', 'one')],
    said: /\nkubernetes-switch\.sh: builder is not ready with that image either\. .* kubectl --namespace almanakk logs deploy\/builder\n$/,
  },
];

for (const {
  what,
  fails = 'none',
  state = 'FailureTarget Failed',
  replica,
  args,
  ordered,
  said,
} of SWITCHES) {
  test(`should try another image, build with it and run it, or return: ${what}`, async () => {
    const root = temporaryFolder();
    saveProgram(root, 'kubectl', CLUSTER);
    saveProgram(root, 'sleep', '');
    save(join(root, 'log'), '');
    const env = { FAILS: fails, STATE: state, REPLICA: replica ?? 'zero' };
    const { code, stdout, stderr } = await runScript(SCRIPT, { root, env, args: args ?? ['two'] });
    assert.equal(readFileSync(join(root, 'log'), 'utf8').match(/.+/g) ?? [], ordered);
    assert.match(stderr, said);
    assert.is(code, stderr === '' ? 0 : 1);
    if (ordered.length > 0) assert.match(stdout, `report of ${TRIAL}\n`);
    assert.not.ok(existsSync(join(root, 'job')), 'the job is deleted');
  });
}

test('should wait for the pods of an attempt that failed, so that the next one can succeed', async () => {
  const root = temporaryFolder();
  saveProgram(root, 'kubectl', CLUSTER);
  saveProgram(root, 'sleep', '');
  const codes: (number | null)[] = [];
  for (const fails of ['job --trial*', 'none']) {
    const env = { FAILS: fails, STATE: 'PodScheduled ErrImagePull', REPLICA: '' };
    codes.push((await runScript(SCRIPT, { root, env, args: ['two'] })).code);
  }
  assert.equal(codes, [1, 0]);
});

/** The jobs that the real kubectl makes of a deployment's pod: the trial, and the build. */
async function jobsOf(pod: object) {
  const root = temporaryFolder();
  // The API server adds this field to the pod of a deployment.
  save(join(root, 'spec.json'), JSON.stringify({ ...pod, restartPolicy: 'Always' }));
  const { stdout } = spawnSync('sh', ['-c', 'command -v kubectl'], { encoding: 'utf8' });
  const answers = CLUSTER.replace(`echo '{"containers":[]}'`, 'cat spec.json').replace(
    /cat > unpatched[^}]*?exit\n/s,
    `echo "$8" > patch.yaml\n  exec ${stdout.trim()} "$@"\n`,
  );
  saveProgram(root, 'kubectl', answers);
  saveProgram(root, 'sleep', '');
  const env = { FAILS: 'none', STATE: '', REPLICA: '' };
  const { code, stderr } = await runScript(SCRIPT, { root, env, args: [IMAGE] });
  assert.is(code, 0, stderr);
  const read = (name: string) => JSON.parse(readFileSync(join(root, `${name}.json`), 'utf8'));
  return { trial: read('trial'), build: read('wait') };
}

const IMAGE = 'registry.example/almanakk:2.1.0';

when(
  isExpected('kubectl'),
  'kubectl is not installed',
  test,
)(
  'should make jobs of the builder’s pod, on its node, which cannot change the volume in a trial',
  async () => {
    const backup = objectNamed('CronJob', 'backup').spec.jobTemplate.spec.template.spec;
    const { Job } = await import('kubernetes-models/batch/v1');
    for (const { template } of [smallBuilder, builder]) {
      const { trial, build } = await jobsOf(template.spec);
      for (const job of [trial, build]) {
        new Job(job).validate();
        const { metadata, spec } = job.spec.template;
        assert.equal(metadata.labels, {
          'app.kubernetes.io/name': 'almanakk',
          'app.kubernetes.io/component': 'switch',
        });
        assert.equal([spec.restartPolicy, spec.affinity], ['Never', backup.affinity]);
        const [{ ports, readinessProbe, livenessProbe, ...container }] = spec.containers;
        assert.equal([ports, readinessProbe, livenessProbe], [undefined, undefined, undefined]);
        const [ofBuilder] = template.spec.containers;
        for (const name of ['env', 'envFrom', 'securityContext'])
          assert.equal(container[name], ofBuilder[name], name);
        const { requests, limits } = ofBuilder.resources;
        // For a trial of 200,000 events, which takes 720 MB.
        assert.equal(container.resources, { requests, limits: { ...limits, 'ephemeral-storage': '6Gi' } });
        assert.is(container.image, IMAGE);
        const isTrial = ({ name }: { readonly name: string }) => name === 'trial';
        assert.equal(spec.volumes.find(isTrial).emptyDir, { sizeLimit: '5Gi' });
        const own = spec.volumes.filter((volume: { readonly name: string }) => !isTrial(volume));
        assert.equal(new Set(own), new Set(template.spec.volumes));
      }
      const containerOf = (job: typeof trial) => job.spec.template.spec.containers[0];
      const program = ['node', 'dist/jobs/cli.js', 'rebuild'];
      assert.equal(containerOf(trial).command, [...program, '--trial', '/trial']);
      assert.equal(containerOf(build).command, [...program, '--wait', '60']);
      assert.equal([isReadOnly(trial), isReadOnly(build)], [true, false]);
    }
  },
);

/** Whether the job can only read the volume of the builder. */
function isReadOnly(job: {
  readonly spec: { readonly template: { readonly spec: typeof smallBuilder.template.spec } };
}): boolean {
  const { volumeMounts } = job.spec.template.spec.containers[0];
  return volumeMounts.find(({ name }: { readonly name: string }) => name === 'data').readOnly;
}

test.run();
