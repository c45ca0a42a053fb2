import { labels } from "./node-processes.ts";
import { mebibytes, type ProcessUsage, type Sample } from "./sample.ts";

interface Line {
  readonly label: string;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
}

const [width, height, left, right, top, gap] = [900, 200, 60, 220, 30, 50];
const colours = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b"];

/** Memory, descriptors, watches and objects over the time of a soak, as an SVG image. */
export function plotOf(samples: readonly Sample[]): string {
  const each = (value: (usage: ProcessUsage) => number): Line[] =>
    labels.map((label) => ({
      label,
      points: samples.flatMap(({ seconds, processes }) => {
        const values = processes.filter((process) => process.label === label).map(value);
        return values.length > 0 ? [[seconds, values.reduce((sum, one) => sum + one)] as const] : [];
      }),
    }));
  const objects = [...new Set(samples.flatMap((sample) => Object.keys(sample.objects)))];
  const charts: Chart[] = [
    { title: "Resident memory of all processes, MiB", lines: each(({ rss }) => mebibytes(rss)) },
    { title: "Open descriptors of all processes", lines: each(({ descriptors }) => descriptors) },
    {
      title: "Watches at the API server",
      lines: [{ label: "watches", points: samples.map(({ seconds, watches }) => [seconds, watches]) }],
    },
    {
      title: "Objects",
      lines: objects.map((label) => ({ label, points: samples.map((sample) => [sample.seconds, sample.objects[label] ?? 0] as const) })),
    },
    {
      title: "Volumes that lived, programs that were killed",
      lines: [
        { label: "lives", points: samples.map(({ seconds, lives }) => [seconds, lives]) },
        { label: "kills", points: samples.map(({ seconds, kills }) => [seconds, kills]) },
      ],
    },
  ];
  const end = Math.max(1, ...samples.map(({ seconds }) => seconds));
  const total = top + charts.length * (height + gap);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + right}" height="${total}" font-family="sans-serif" font-size="12">`,
    "<title>A soak: memory, descriptors, watches, objects, lives and kills over time</title>",
    '<rect width="100%" height="100%" fill="white"/>',
    ...charts.flatMap((chart, index) => drawChart(chart, top + index * (height + gap), end)),
    "</svg>",
    "",
  ].join("\n");
}

function drawChart({ title, lines }: Chart, y: number, end: number): string[] {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const place = ([seconds, value]: readonly [number, number]) =>
    `${round(left + (seconds / end) * width)},${round(y + height - (value / most) * height)}`;
  return [
    `<text x="${left}" y="${y - 8}" font-weight="bold">${title}</text>`,
    `<rect x="${left}" y="${y}" width="${width}" height="${height}" fill="none" stroke="#999"/>`,
    `<text x="${left - 6}" y="${y + 10}" text-anchor="end">${round(most)}</text>`,
    `<text x="${left - 6}" y="${y + height}" text-anchor="end">0</text>`,
    `<text x="${left + width}" y="${y + height + 16}" text-anchor="end">${round(end / 60)} min</text>`,
    ...lines.flatMap(({ label, points }, index) => {
      const colour = colours[index % colours.length];
      return [
        `<polyline points="${points.map(place).join(" ")}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
        `<text x="${left + width + 10}" y="${y + 14 + index * 16}" fill="${colour}">${label}</text>`,
      ];
    }),
  ];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
