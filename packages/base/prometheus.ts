/// <reference path="./prom-client-parts.d.ts" />
// The parts of prom-client one by one: its index also loads cluster support and the push gateway with http, https and zlib,
// 7 MB of resident memory that nothing here uses.
export type { MetricObjectWithValues, MetricValue } from "prom-client";
export { exponentialBuckets } from "prom-client/lib/bucketGenerators.js";
export { default as Counter } from "prom-client/lib/counter.js";
export { default as Gauge } from "prom-client/lib/gauge.js";
export { default as Histogram } from "prom-client/lib/histogram.js";
export { default as Registry } from "prom-client/lib/registry.js";
