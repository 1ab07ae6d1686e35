// Command cmd serves the page with an invented session, for work on the page:
//
//	go run ./serve/page/pagetest/cmd -dist serve/page/dist -start samples
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/mprof/mprof/serve"
	"github.com/mprof/mprof/serve/page"
	"github.com/mprof/mprof/serve/page/pagetest"
	"github.com/mprof/mprof/session"
)

func main() {
	dist := flag.String("dist", "", "folder of the page's files; without it those that are built in")
	address := flag.String("address", "", "host:port")
	speed := flag.Float64("speed", 1, "how fast the target's time passes")
	start := flag.String("start", "", "samples or calls: connect and start")
	unplug := flag.Duration("unplug", 0, "the target goes away after that time")
	flag.Parse()
	if err := run(*dist, *address, *speed, *start, *unplug); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dist, address string, speed float64, start string, unplug time.Duration) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	control := pagetest.New(speed)
	o := page.Options{Control: control, Hints: func(error) []string { return []string{"An invented hint: check the cable."} }}
	if dist != "" {
		o.Assets = os.DirFS(dist)
	}
	if start != "" {
		if err := control.Connect(ctx, session.Connect{Kind: start, Probe: "sim", Port: "sim", ELF: "demo.elf"}); err != nil {
			return err
		}
		if err := control.Start(ctx, session.Start{}); err != nil {
			return err
		}
	}
	if unplug > 0 {
		time.AfterFunc(unplug, control.Unplug)
	}
	handler, err := page.New(ctx, o)
	if err != nil {
		return err
	}
	server, err := serve.Listen(serve.Options{Address: address})
	if err != nil {
		return err
	}
	fmt.Println(server.URL())
	return server.Serve(ctx, handler)
}
