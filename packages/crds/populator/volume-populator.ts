import { bareResource, type CustomResourceDefinition, column, definition } from "../definition.ts";
import { object, text } from "../schema.ts";

const sourceKind = object(
  "The kind of the data sources that the populator reads. A claim names one of them in spec.dataSourceRef.",
  {
    group: text("The API group of the kind."),
    kind: text("The kind itself, in the singular and in CamelCase."),
  },
  ["group", "kind"],
);

const volumePopulatorDefinition = definition({
  group: "populator.storage.k8s.io",
  kind: "VolumePopulator",
  plural: "volumepopulators",
  scope: "Cluster",
  status: false,
  approvedIn: "https://github.com/kubernetes/enhancements/pull/2934",
  columns: [column("SourceKind", "string", ".sourceKind")],
  versions: [
    {
      name: "v1beta1",
      served: true,
      storage: true,
      schema: bareResource(
        "Registers a volume populator: new volumes can be filled from objects of its kind of data sources.",
        { sourceKind },
        ["sourceKind"],
      ),
    },
  ],
});

/** The kind of volume-data-source-validator, field by field. */
export const populatorDefinitions: readonly CustomResourceDefinition[] = [volumePopulatorDefinition];
