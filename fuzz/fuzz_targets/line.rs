//! Line framing: any bytes, cut anywhere, under any small limit. The generator is the input itself; what is right is
//! said by `pipeproof::oracle::line`.
#![cfg_attr(fuzzing, no_main)]

pipeproof_fuzz::target!(|input: pipeproof_fuzz::CutStream| {
    let limit = input.limit();
    pipeproof::oracle::line::cuts_carry_no_meaning(limit, &input.stream, &input.cuts());
});
