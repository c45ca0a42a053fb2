/// <reference path="./prom-client-parts.d.ts" />
// The parts of prom-client one by one: its index also loads cluster support and the push gateway with http, https and zlib,
// 7 MB of resident memory that nothing here uses. The types are those of the index: the parts have none.
import type * as client from "prom-client";
import { exponentialBuckets as buckets } from "prom-client/lib/bucketGenerators.js";
import CounterPart from "prom-client/lib/counter.js";
import GaugePart from "prom-client/lib/gauge.js";
import HistogramPart from "prom-client/lib/histogram.js";
import RegistryPart from "prom-client/lib/registry.js";

export type { MetricObjectWithValues, MetricValue } from "prom-client";

export const exponentialBuckets: typeof client.exponentialBuckets = buckets;
export type Counter<Label extends string = string> = client.Counter<Label>;
export const Counter: typeof client.Counter = CounterPart;
export type Gauge<Label extends string = string> = client.Gauge<Label>;
export const Gauge: typeof client.Gauge = GaugePart;
export type Histogram<Label extends string = string> = client.Histogram<Label>;
export const Histogram: typeof client.Histogram = HistogramPart;
export type Registry = client.Registry;
export const Registry: typeof client.Registry = RegistryPart;
