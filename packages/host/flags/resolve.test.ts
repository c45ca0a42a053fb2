import { describe, expect, expectTypeOf, test } from "bun:test";
import type { Flag } from "./flag.ts";
import type { FlagOwner, Program } from "./program.ts";
import { attacher, components, individual, livenessprobe, provisioner, registrar, resizer, snapshotter } from "./testing/components.ts";
import { settingsOf } from "./testing/settings-of.ts";

describe("a component's flag: prefixed, else generic if given, else its own default", () => {
  const four: readonly FlagOwner<{ readonly timeout: Flag<number> }>[] = [attacher, provisioner, resizer, snapshotter];
  const timeouts = (argv: string) => four.map((each) => settingsOf(argv).of(each).timeout / 1000);

  test.each([
    ["", [15, 10, 10, 60]],
    ["--timeout=30s", [30, 30, 30, 30]],
    ["--timeout=30s --provisioner-timeout=60s", [30, 60, 30, 30]],
    ["--provisioner-timeout=60s --timeout=30s", [30, 60, 30, 30]],
    ["--attacher-timeout=6m", [360, 10, 10, 60]],
    ["--timeout=30s --timeout=40s", [40, 40, 40, 40]],
    ["-timeout 30s -resizer-timeout 1s", [30, 30, 1, 30]],
  ])("timeout with %p", (argv, expected) => {
    expect(timeouts(argv)).toEqual(expected);
  });

  test("the all-in-one may have a default of its own", () => {
    const limits = (argv: string, program?: Program) => {
      const { kubeApiQps, kubeApiBurst } = settingsOf(argv, program).of(attacher);
      return [kubeApiQps, kubeApiBurst];
    };
    expect(limits("")).toEqual([20, 40]);
    expect(limits("--kube-api-qps=5")).toEqual([5, 40]);
    expect(limits("", individual(attacher, "csi-attacher"))).toEqual([5, 10]);
  });

  test("a component may follow a generic flag of another name, and each alias of it", () => {
    for (const spelling of [
      "worker-threads",
      "worker-thread",
      "workers",
      "resizer-workers",
      "resizer-worker-threads",
      "resizer-worker-thread",
    ]) {
      expect(settingsOf(`--${spelling}=7`).of(resizer).workers).toBe(7);
    }
    for (const spelling of ["worker-threads", "attacher-worker-threads", "attacher-worker-thread"]) {
      expect(settingsOf(`--${spelling}=7`).of(attacher).workerThreads).toBe(7);
    }
    for (const spelling of ["resync", "resync-period", "snapshotter-resync", "snapshotter-resync-period"]) {
      expect(settingsOf(`--${spelling}=7s`).of(snapshotter).resyncPeriod).toBe(7_000);
    }
    expect(settingsOf("--workers=7").of(attacher).workerThreads).toBe(10);
  });

  test("a boolean is shared in the same way", () => {
    const settings = settingsOf("--extra-create-metadata --snapshotter-extra-create-metadata=false");
    expect([settings.of(provisioner), settings.of(snapshotter)]).toMatchObject([
      { extraCreateMetadata: true },
      { extraCreateMetadata: false },
    ]);
  });

  test("each component reads a generic value as its own type", () => {
    expect(() => settingsOf("--worker-threads=-1")).toThrow(
      'invalid value "-1" for flag --worker-threads: "-1" is not a whole number without sign',
    );
    expect(settingsOf("--controllers=snapshotter --worker-threads=-1").of(snapshotter).workerThreads).toBe(-1);
  });

  test("verbosity", () => {
    const settings = settingsOf("-v=2 --attacher-v=5");
    expect([settings.process.v, settings.verbosity("attacher"), settings.verbosity("resizer")]).toEqual([2, 5, 2]);
  });

  test("values know their types", () => {
    expectTypeOf(settingsOf("").of(attacher).timeout).toEqualTypeOf<number>();
    expectTypeOf(settingsOf("").of(livenessprobe).healthPort).toEqualTypeOf<string>();
    expectTypeOf(settingsOf("").process.lossPolicy).toEqualTypeOf<"auto" | "exit" | "restart">();
    expectTypeOf(settingsOf("").process.featureGates).toEqualTypeOf<ReadonlyMap<string, boolean>>();
  });

  test("it is known what set a value", () => {
    const settings = settingsOf("--timeout=30s --attacher-timeout=1s");
    expect(["attacher-timeout", "resizer-timeout", "resizer-workers"].map(settings.setBy)).toEqual([
      "attacher-timeout",
      "timeout",
      undefined,
    ]);
  });
});

describe("names without prefix", () => {
  test("one that a single component defines needs no prefix", () => {
    const settings = settingsOf("--volume-name-prefix=vol --handle-volume-inuse-error=false");
    expect(settings.of(provisioner).volumeNamePrefix).toBe("vol");
    expect(settings.of(resizer).handleVolumeInuseError).toBe(false);
  });

  test("one that a single enabled component defines needs no prefix", () => {
    expect(settingsOf("--controllers=attacher,resizer --default-fstype=ext4").of(attacher).defaultFstype).toBe("ext4");
    expect(settingsOf("--controllers=*,livenessprobe --health-port=9898").of(livenessprobe).healthPort).toBe("9898");
  });

  test.each([
    ["--default-fstype=ext4", "flag --default-fstype is ambiguous: use --attacher-default-fstype or --provisioner-default-fstype"],
    [
      "--controllers=livenessprobe,node-driver-registrar --health-port=1",
      "flag --health-port is ambiguous: use --livenessprobe-health-port or --node-driver-registrar-health-port",
    ],
  ])("%p is ambiguous", (argv, message) => {
    expect(() => settingsOf(argv)).toThrow(message);
  });

  test("a process-wide flag keeps its name where a component has one of the same name", () => {
    const settings = settingsOf("--controllers=livenessprobe --http-endpoint=:8080 --livenessprobe-http-endpoint=:9808");
    expect([settings.process.httpEndpoint, settings.of(livenessprobe).httpEndpoint]).toEqual([":8080", ":9808"]);
  });
});

describe("several spellings of one flag", () => {
  const path = "kubelet-registration-path";
  const node = "--controllers=node-driver-registrar";

  test("may say the same", () => {
    expect(settingsOf(`${node} --${path}=/a --node-driver-registrar-${path}=/a`).of(registrar).kubeletRegistrationPath).toBe("/a");
    expect(settingsOf("--resizer-resync=60s --resizer-resync-period=1m").of(resizer).resyncPeriod).toBe(60_000);
  });

  test.each([
    [
      `${node} --${path}=/a --node-driver-registrar-${path}=/b`,
      `--${path} and --node-driver-registrar-${path} are the same flag but have different values, "/a" and "/b": give one of them`,
    ],
    ["--resync=1m --resync-period=2m", '--resync and --resync-period are the same flag but have different values, "1m0s" and "2m0s"'],
    [
      "--max-grpc-log-length=1 --attacher-max-grpc-log-length=2",
      "--max-grpc-log-length and --attacher-max-grpc-log-length are the same flag",
    ],
  ])("must not differ: %s", (argv, message) => {
    expect(() => settingsOf(argv)).toThrow(message);
  });
});

describe("repeated flags", () => {
  test("the last one wins, maps merge, lists add up", () => {
    const settings = settingsOf(
      "--v=1 --v=2 --feature-gates=A=true,B=true --feature-gates=B=false --controllers=attacher --controllers=resizer " +
        "--leader-election-labels=a:1 --leader-election-labels=b:2 --vmodule=a=1 --vmodule=b=2",
    );
    expect(settings.process.v).toBe(2);
    expect([...settings.process.featureGates]).toEqual([
      ["A", true],
      ["B", false],
    ]);
    expect(settings.enabled).toEqual(["attacher", "resizer"]);
    expect([...settings.process.leaderElectionLabels]).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
    expect(settings.process.vmodule.map(({ pattern }) => pattern)).toEqual(["a", "b"]);
  });
});

describe("warnings and problems", () => {
  test.each([
    [
      "--controllers=resizer --attacher-timeout=1s --attacher-v=3 --max-entries=3",
      ["--attacher-timeout, --attacher-v, --max-entries have no effect: attacher is not enabled"],
    ],
    ["--controllers=resizer --default-fstype=xfs", ["--default-fstype has no effect: attacher or provisioner is not enabled"]],
    ["--controllers=livenessprobe --worker-threads=3", ["flag --worker-threads has no effect: no enabled controller uses it"]],
    ["--metrics-address=:1", ["flag --metrics-address is deprecated: use --http-endpoint"]],
    ["--controllers=livenessprobe --health-port=1", ["flag --health-port is deprecated: use --http-endpoint"]],
    ["--controllers=attacher --leader-election", []],
  ])("%s", (argv, warnings) => {
    expect(settingsOf(argv).warnings).toEqual(warnings);
  });

  test.each([
    ["--worker-threads=0", ['invalid value "0" for flag --worker-threads: must be greater than zero']],
    ["--attacher-worker-threads=0", ['invalid value "0" for flag --attacher-worker-threads: must be greater than zero']],
    ["--http-endpoint=:1 --metrics-address=:2", ["Only one of `--metrics-address` and `--http-endpoint` can be set"]],
    ["--metrics-path=metrics", ['invalid value "metrics" for flag --metrics-path: a path begins with a slash: write /metrics']],
    ["--metrics-path=", ['invalid value "" for flag --metrics-path: a path begins with a slash: write /metrics']],
    [
      "--leader-election-lease-name=A_B",
      ['invalid value "A_B" for flag --leader-election-lease-name: a name has lower case letters, digits, dashes and dots only'],
    ],
    ["--shutdown-timeout=-1s", ['invalid value "-1s" for flag --shutdown-timeout: must not be negative']],
    ["--shutdown-timeout=0", []],
    ["--controller-restart-limit=-1", ['invalid value "-1" for flag --controller-restart-limit: must not be negative']],
    ["--snapshotter-snapshot-name-prefix=", ['invalid value "" for flag --snapshotter-snapshot-name-prefix: must not be empty']],
    ["--controllers=attacher --snapshotter-snapshot-name-prefix=", []],
    [
      "--controllers=bogus,other",
      ["bogus", "other"].map(
        (name) => `--controllers: "${name}" is not in the list of known controllers: ${components.map((known) => known.name).join(", ")}`,
      ),
    ],
    ["--controllers=-attacher", ["--controllers: no controllers are enabled: name at least one"]],
    [
      "--controllers=livenessprobe --livenessprobe-health-port=1 --livenessprobe-http-endpoint=:2",
      ["Only one of `--health-port` and `--http-endpoint` can be explicitly set"],
    ],
  ])("%s cannot start", (argv, problems) => {
    expect(settingsOf(argv).problems).toEqual(problems);
  });

  test.each([
    ["--timeout=30", 'invalid value "30" for flag --timeout: missing unit in duration "30": write 30s for seconds'],
    ["--leader-election=maybe", 'invalid value "maybe" for flag --leader-election: "maybe" is neither true nor false'],
    ["--loss-policy=panic", 'invalid value "panic" for flag --loss-policy: must be one of auto, exit, restart'],
    ["--feature-gates=A", 'invalid value "A" for flag --feature-gates: malformed pair, expect string=bool'],
    ["--leader-election-labels=", 'invalid value "" for flag --leader-election-labels: malformed item in list of labels: '],
    ["--automaxprocs=maybe", 'invalid value "maybe" for flag --automaxprocs'],
    ["--controllers=resizer --attacher-timeout=1", 'invalid value "1" for flag --attacher-timeout'],
    ["--controllers=resizer --attacher-v=x", 'invalid value "x" for flag --attacher-v'],
    ["--controllers=livenessprobe --worker-threads=x", 'invalid value "x" for flag --worker-threads'],
    ["--controllers=bogus --timeout=x", 'invalid value "x" for flag --timeout'],
  ])("%s cannot be understood", (argv, message) => {
    expect(() => settingsOf(argv)).toThrow(message);
  });

  test("the version can be asked for whatever else is wrong", () => {
    const settings = settingsOf("--version --controllers=bogus");
    expect([settings.process.version, settings.problems.length]).toEqual([true, 1]);
  });

  test.each([
    ["", true],
    ["true", true],
    ["false", false],
  ])("automaxprocs=%p", (value, on) => {
    expect(settingsOf(`--automaxprocs=${value}`).process.automaxprocs).toBe(on);
  });
});
