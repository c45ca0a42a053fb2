import { expect, test } from "bun:test";
import { messageFields } from "./message-fields.ts";

const proto = `
package k8s.io.api.toys.v1;

message Ball {
  // A comment.
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;

  // +optional
  optional BallSource ballSource = 2;

  repeated string colors = 3;

  map<string, bytes> prints = 4;

  optional int32 weight = 5;
}

message BallSource {
  optional Maker maker = 1;
}

message Maker {
  optional string name = 1;
}

message Unused {
  optional string name = 1;
}
`;

const types = `
// Ball is round.
type Ball struct {
\tmetav1.TypeMeta \`json:",inline"\`
\t// A comment.
\tmetav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`
\tBallSource \`json:",inline" protobuf:"bytes,2,opt,name=ballSource"\`
\tColors []string \`json:"colours,omitempty" protobuf:"bytes,3,rep,name=colors"\`
\tPrints map[string][]byte \`json:"prints" protobuf:"bytes,4,rep,name=prints"\`
\tWeight *int32 \`json:"weight,omitempty" protobuf:"varint,5,opt,name=weight"\`
}

type BallSource struct {
\tMaker *Maker \`json:"maker,omitempty" protobuf:"bytes,1,opt,name=maker"\`
}

type Maker struct {
\tName string \`json:"name,omitempty" protobuf:"bytes,1,opt,name=name"\`
}
`;

test("fields have the numbers of protobuf, the names of JSON, and say whether their zero is meant", () => {
  expect(messageFields([{ proto, types }], ["io.k8s.api.toys.v1.Ball"])).toEqual({
    "io.k8s.api.toys.v1.Ball": [
      [1, "metadata", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "", 0],
      [2, "", "io.k8s.api.toys.v1.BallSource", "", 1],
      [3, "colours", "string", "list", 0],
      [4, "prints", "bytes", "map", 1],
      [5, "weight", "int32", "", 1],
    ],
    "io.k8s.api.toys.v1.BallSource": [[1, "maker", "io.k8s.api.toys.v1.Maker", "", 1]],
    "io.k8s.api.toys.v1.Maker": [[1, "name", "string", "", 0]],
  });
});
