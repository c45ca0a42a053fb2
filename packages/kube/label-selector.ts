import { goQuote, ownValue } from "@csi-sidecars/base";
import { meetsRequirement, type Requirement } from "./selector-requirement.ts";

type Labels = Readonly<Record<string, string>>;

/** metav1.LabelSelector: all labels and all expressions have to match. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly Requirement[];
}

/** An empty selector matches everything; the caller decides what an absent one means. */
export function matchesLabels({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels = {}): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => ownValue(labels, key) === value) &&
    matchExpressions.every((it) => meetsRequirement(it, ownValue(labels, it.key)))
  );
}

/** Why an expression is not one of a label selector, in the words of API machinery. The schemas of custom resources let anything pass. */
export function labelSelectorProblem({ matchExpressions = [] }: LabelSelector): string | undefined {
  for (const { operator, values = [] } of matchExpressions) {
    switch (operator) {
      case "In":
      case "NotIn":
        if (values.length === 0) return "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty";
        break;
      case "Exists":
      case "DoesNotExist":
        if (values.length > 0) return "values: Invalid value: values set must be empty for exists and does not exist";
        break;
      default:
        return `${goQuote(operator)} is not a valid label selector operator`;
    }
  }
  return undefined;
}

/** A selector as kubectl shows it: `app=db,tier in (a,b),!spare`. */
export function labelSelectorText(selector: LabelSelector): string {
  if (labelSelectorProblem(selector)) return "<error>";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const requirements = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map((requirement) => ({ key: requirement.key, text: expressionText(requirement) })),
  ];
  const texts = requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ text }) => text);
  return texts.join(",") || "<none>";
}

function expressionText({ key, operator, values = [] }: Requirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator === "In" ? "in" : "notin"} (${[...values].sort().join(",")})`;
}
