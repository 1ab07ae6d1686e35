package symbols

import (
	"errors"
	"fmt"
)

// sourceRequest asks for a file by a proof that it belongs to the program: an address whose debug information names it.
type sourceRequest struct {
	DebugName    string `json:"debugName"`
	DebugID      string `json:"debugId"`
	CodeID       string `json:"codeId"`
	ModuleOffset *hex   `json:"moduleOffset"`
	File         string `json:"file"`
}

// sourceResponse has places for the times of two files, which nobody fills yet.
type sourceResponse struct {
	SymbolsLastModified *string `json:"symbolsLastModified"`
	SourceLastModified  *string `json:"sourceLastModified"`
	File                string  `json:"file"`
	Source              string  `json:"source"`
}

// source answers /source/v1: with a file that the profile carries, or with one that the debug information names at
// the address.
func (s *server) source(body []byte) (any, error) {
	var request sourceRequest
	if err := decode(body, &request); err != nil {
		return nil, err
	}
	if request.File == "" || request.ModuleOffset == nil {
		return nil, malformed{errors.New("the request has no file, or no moduleOffset")}
	}
	if text, ok := s.Sources[request.File]; ok {
		return sourceResponse{File: request.File, Source: text}, nil
	}
	m, err := s.module(request.DebugName, request.DebugID, request.CodeID)
	if err != nil {
		return nil, err
	}
	addr, ok := m.address(uint64(*request.ModuleOffset))
	if !ok {
		return nil, fmt.Errorf("0x%x is beyond the addresses of %s", uint64(*request.ModuleOffset), m.mapping.Name)
	}
	text, ok := m.image.SourceAt(addr, request.File)
	if !ok {
		return nil, fmt.Errorf("%q is no file that the debug information of %s names at 0x%08x, or it is not there any more", request.File, m.mapping.Name, addr)
	}
	return sourceResponse{File: request.File, Source: text}, nil
}
