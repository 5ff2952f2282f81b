package httpapi

import (
	"brokerage/internal/brokerage"
)

func (s *Server) getOrder(q *request) error {
	id, err := q.key("order")
	return read(q, id, err, s.store.GetOrder, q.document)
}

func (s *Server) insertOrder(q *request) error {
	doc, err := q.body()
	if err != nil {
		return err
	}
	w, done, err := q.write(doc)
	if err != nil {
		return err
	}
	defer done()
	id, err := s.store.InsertOrder(q.ctx, w, doc)
	if err != nil {
		return err
	}
	return q.created("/v1/orders/" + id.String())
}

func (s *Server) updateOrderStatus(q *request) error {
	id, err := q.key("order")
	if err != nil {
		return err
	}
	if err := q.accepts(); err != nil {
		return err
	}
	body, err := q.body()
	if err != nil {
		return err
	}
	stat, err := brokerage.ReadOrderStatus(body)
	if err != nil {
		return err
	}
	answer, err := s.store.UpdateOrderStatus(q.ctx, brokerage.Write{Now: s.now()}, id, stat)
	if err != nil {
		return err
	}
	return q.answer(answer)
}

func (s *Server) deleteOrder(q *request) error { return q.remove("order", s.store.DeleteOrder) }
