/** The Vectorize adapter under the contract, over the strict fake. */
import { indexedProperties, VectorizeIndexAdapter } from "../../../src/platform/vectors/vectorize";
import { VectorizeFake } from "../../support/vectorize-fake";
import { describeVectorIndex, MODEL } from "./contract";

describeVectorIndex("Vectorize", () => {
  const fake = new VectorizeFake({ dimension: MODEL.dimension, indexed: indexedProperties, seed: 7 });
  return { index: new VectorizeIndexAdapter(fake, MODEL), settle: () => fake.settle() };
});
